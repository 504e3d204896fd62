// A person and an agent in one open Space: what the agent asks arrives by itself, one click answers it, the log has the answer.
import { expect, test, type Locator, type Page } from '@playwright/test'
import { enrol } from '../fixtures/console-steps.ts'
import { Installation } from '../fixtures/installation.ts'
import { IoaNode } from '../fixtures/ioa-node.ts'

const phone = { width: 390, height: 844 }

test('a person answers the checkpoints of an agent in an open Space', async ({ page }) => {
  test.setTimeout(3 * 60_000)
  const installation = await Installation.start()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  try {
    await enrol(page, installation.ownerInvitation)
    const scout = await IoaNode.register(installation, 'Scout')

    await test.step('open a Space; the agent joins it by its name', async () => {
      await page.goto(installation.origin)
      await page.getByRole('link', { name: 'Spaces', exact: true }).click()
      await page.getByRole('button', { name: 'New Space' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Harbour works')
      await page.getByLabel('What you do there').fill('Decides')
      await page.getByRole('button', { name: 'Enter', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Harbour works' })).toBeVisible()
      await expect(page.getByText('Nobody has said anything here yet')).toBeVisible()
    })
    const spaceId = await scout.enter('Harbour works', 'Looks for trouble')

    await test.step('a checkpoint arrives while the page is open, its Markdown without HTML', async () => {
      const content = { id: 'c1', kind: 'gate', title: 'Switch the power off?', status: 'inconclusive', target: 'quay 3', content: 'The brake is **hot**. <img src=x onerror="document.title=1">', options: ['Switch it off', 'Reject'] }
      const checkpoint = await scout.send(spaceId, { content, content_type: 'checkpoint' })
      const card = messageWith(page, 'Switch the power off?')
      await expect(card.getByText('Waits for an answer')).toBeVisible()
      await expect(card.getByText('hot', { exact: true })).toHaveJSProperty('tagName', 'STRONG')
      await expect(card.getByRole('img')).toHaveCount(0)
      await expect(card.getByText('It is no approval: nothing is signed by it.', { exact: false })).toBeVisible()
      await card.getByRole('button', { name: 'Reject' }).click()
      await expect(card.getByText('You answered Reject')).toBeVisible()
      await expect(card.getByRole('button', { name: 'Reject' })).toHaveAttribute('aria-pressed', 'true')
      const [, answer] = await scout.read(spaceId)
      expect(answer).toMatchObject({ content: { option: 'Reject' }, refs: { messages: [checkpoint.id], nodes: [] } })
      expect(answer).not.toHaveProperty('content_type')
    })

    await test.step('the graph shows the answer under its question', async () => {
      await page.getByRole('link', { name: 'Graph', exact: true }).click()
      await page.getByRole('button', { name: 'Show as table' }).click()
      await expect(page.getByRole('row', { name: /checkpoint: Switch the power off/ })).toHaveAttribute('aria-level', '1')
      await expect(page.getByRole('row', { name: /Reject/ })).toHaveAttribute('aria-level', '2')
      await page.getByRole('link', { name: 'Conversation', exact: true }).click()
    })

    await test.step('a phone answers with a word of its own', async () => {
      await page.setViewportSize(phone)
      const checkpoint = await scout.send(spaceId, { content: { id: 'c2', title: 'Order the part?' }, content_type: 'checkpoint' })
      const card = messageWith(page, 'Order the part?')
      await card.getByText('Add a word to the answer').click()
      await card.getByLabel('Goes along with the option that you click').fill('Two of them.')
      await card.getByRole('button', { name: 'Continue' }).click()
      await expect(card.getByText('You answered Continue: Two of them.')).toBeVisible()
      expect((await scout.read(spaceId)).at(-1)).toMatchObject({ content: { option: 'Continue', feedback: 'Two of them.' }, refs: { messages: [checkpoint.id] } })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
    })

    await test.step('a reply of the person names what it answers and whom it means', async () => {
      await messageWith(page, 'Switch the power off?').getByRole('button', { name: 'Reply' }).click()
      await page.getByRole('textbox', { name: 'Message' }).fill('Wait for daylight, @Sco')
      await page.getByRole('option', { name: /Scout/ }).click()
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await expect(messageWith(page, 'Wait for daylight, @Scout')).toBeVisible()
      const messages = await scout.read(spaceId)
      expect(messages.at(-1)).toMatchObject({ content: { text: 'Wait for daylight, @Scout' }, refs: { messages: [messages[0]!.id], nodes: [messages[0]!.sender] } })
    })
    expect(errors).toEqual([])
  } finally {
    await installation.stop()
  }
})

/** The Message that says this itself; others may quote it. */
function messageWith(page: Page, text: string): Locator {
  return page.getByRole('article').filter({ has: page.getByText(text, { exact: true }) })
}
