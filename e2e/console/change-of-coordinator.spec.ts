// An owner whose coordinator does not answer puts another agent in charge, signed in the page.
import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { createExampleMission, enrol, sign } from '../fixtures/console-steps.ts'
import { Installation } from '../fixtures/installation.ts'

test('an owner puts another agent in charge of a mission', async ({ page }) => {
  test.setTimeout(3 * 60_000)
  const installation = await Installation.start()
  try {
    await addCoordinator(installation, 'Adam Silent')
    await addCoordinator(installation, 'Zoe Ready')
    await enrol(page, installation.ownerInvitation)
    await createExampleMission(page, installation.origin)
    await page.getByRole('button', { name: 'More about this mission' }).click()
    await page.getByRole('menuitem', { name: 'Put an agent in charge' }).click()
    const dialog = page.getByRole('dialog', { name: 'Put an agent in charge' })
    await expect(dialog).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: 'More about this mission' })).toBeFocused()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Put an agent in charge' }).click()
    await dialog.getByRole('radio', { name: /Zoe Ready/ }).check()
    await dialog.getByLabel('Reason').fill('Adam does not answer.')
    await sign(page, 'Review and sign')
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('banner').or(page.locator('header')).getByText('Zoe Ready').first()).toBeVisible()
    await expect(page.getByText('Zoe Ready has to take stock before it can assign')).toBeVisible()
    await page.getByRole('link', { name: 'Log' }).click()
    await expect(page.getByText('put Zoe Ready in charge of coordination: Adam does not answer.', { exact: false }).first()).toBeVisible()
  } finally {
    await installation.stop()
  }
})

/** An agent that made its own key, and never connects. */
async function addCoordinator({ origin, dataDir }: Installation, name: string): Promise<void> {
  const { adminToken } = JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')) as { adminToken: string }
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const args = { name, publicKey: x, capabilities: [{ id: 'countersign.coordination', version: '1.0.0' }] }
  const response = await fetch(`${origin}/api/admin`, { method: 'POST', headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }, body: JSON.stringify({ command: 'agent add', args }) })
  expect(response.status, await response.text()).toBe(200)
}
