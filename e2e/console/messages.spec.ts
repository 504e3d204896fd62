// A person thinks again about what they wrote: corrected, retracted and redacted in the page.
import { generateKeyPairSync } from 'node:crypto'
import { expect, test, type Page } from '@playwright/test'
import { adminCommand } from '../fixtures/admin-command.ts'
import { createExampleMission, enrol, sign } from '../fixtures/console-steps.ts'
import { Installation } from '../fixtures/installation.ts'

test('an owner corrects, retracts and redacts messages', async ({ page }) => {
  test.setTimeout(3 * 60_000)
  const installation = await Installation.start()
  try {
    await addCoordinator(installation)
    await enrol(page, installation.ownerInvitation)
    await createExampleMission(page, installation.origin)
    await page.getByRole('link', { name: 'Conversation', exact: true }).click()
    for (const text of ['The total is 12.', 'Never mind this.', 'The door code is 4711.']) await say(page, text)

    const correction = await open(page, 'The total is 12.', 'Correct')
    await correction.getByLabel('Message').fill('The total is 13.')
    await correction.getByLabel('Reason').fill('A slip.')
    await correction.getByRole('button', { name: 'Correct it' }).click()
    await expect(correction).toBeHidden()
    await expect(page.getByText('The total is 13.').first()).toBeVisible()
    await page.getByText('Corrected; show what was said before').click()
    await expect(page.getByText('The total is 12.')).toBeVisible()

    const retraction = await open(page, 'Never mind this.', 'Retract')
    await retraction.getByLabel('Reason').fill('It was meant for another mission.')
    await retraction.getByRole('button', { name: 'Take it back' }).click()
    await expect(page.getByText('Retracted by Mara Owner: It was meant for another mission.')).toBeVisible()

    const redaction = await open(page, 'The door code is 4711.', 'Redact')
    await redaction.getByLabel('Reason').fill('It opens a door.')
    await sign(page, 'Review and sign')
    await expect(redaction).toBeHidden()
    await expect(page.getByText('Redacted by Mara Owner: It opens a door.')).toBeVisible()
    await expect(page.getByText('The door code is 4711.')).toBeHidden()

    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await expect(page.getByText('Mara Owner says: The total is 12.')).toBeVisible()
    await expect(page.getByText('Mara Owner says something that was redacted')).toBeVisible()
    await expect(page.getByText('Mara Owner says something that was taken back')).toBeVisible()
    await expect(page.getByText('The door code is 4711.')).toBeHidden()
  } finally {
    await installation.stop()
  }
})

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await expect(page.getByRole('article').filter({ hasText: text }).getByRole('button', { name: 'Reply' })).toBeVisible()
}

/** Opens what the menu of this Message offers and answers the dialog. */
async function open(page: Page, text: string, item: string) {
  await page.getByRole('article').filter({ hasText: text }).getByRole('button', { name: /More about message/ }).click()
  await page.getByRole('menuitem', { name: item }).click()
  return page.getByRole('dialog').filter({ has: page.getByLabel('Reason') })
}

/** An agent that made its own key, and never connects. */
async function addCoordinator(installation: Installation): Promise<void> {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  await adminCommand(installation, 'agent add', { name: 'Adam Silent', publicKey: x, capabilities: [{ id: 'countersign.coordination', version: '1.0.0' }] })
}
