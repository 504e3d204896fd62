// The main job in a real browser: enrol, create, watch, request changes once, approve the second revision, verify the receipt offline.
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from '@playwright/test'
import { createExampleMission, enrol, sign } from '../fixtures/console-steps.ts'
import { Installation, projectFolder } from '../fixtures/installation.ts'

const agentsMinutes = 4 * 60_000

test('a newcomer takes a mission from objective to a signed approval that anybody can verify', async ({ page }) => {
  test.setTimeout(15 * 60_000)
  const installation = await Installation.start({ reviewed: projectFolder })
  const downloads = await mkdtemp(join(tmpdir(), 'countersign-downloads-'))
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  try {
    await enrol(page, installation.ownerInvitation)
    await createExampleMission(page, installation.origin)

    await test.step('the page follows the work without a reload', async () => {
      await expect(page.getByText(/verified/).first()).toBeVisible({ timeout: agentsMinutes })
      await expect(page.getByText('Waits for your decision on revision', { exact: false }).first()).toBeVisible({ timeout: agentsMinutes })
    })

    await test.step('request changes, signed in the page', async () => {
      await openApproval(page)
      await page.getByLabel('Comment').fill('Please allow MPL-2.0, LGPL-3.0-or-later, CC-BY-3.0, CC-BY-4.0, PSF-2.0 and SIL OPEN FONT LICENSE.')
      await sign(page, 'Request changes')
      await expect(page.getByText('Changes requested and verified')).toBeVisible()
    })

    await test.step('the coordinator revises; the approval page shows what changed', async () => {
      await page.getByRole('link', { name: 'Back to the board' }).click()
      await expect(page.getByText('Waits for your decision on revision', { exact: false }).first()).toBeVisible({ timeout: agentsMinutes })
      await openApproval(page)
      await expect(page.getByText('Changed', { exact: true }).first()).toBeVisible()
    })

    await test.step('approve the second revision', async () => {
      await sign(page, 'Approve')
      await expect(page.getByText('Approved and verified')).toBeVisible()
    })

    const receipt = await download(page, join(downloads, 'receipt.json'), 'Download the receipt')
    await test.step('the receipt verifies offline and states the artifacts', () => {
      const { status, output } = verify(receipt.path)
      expect(output).toContain('report.md')
      expect(status, output).toBe(0)
    })

    await test.step('a flipped byte of the receipt is refused with a reason', async () => {
      for (const share of [0.01, 0.2, 0.5, 0.8, 0.999]) {
        const changed = Buffer.from(receipt.bytes)
        const at = Math.floor(changed.length * share)
        changed[at] = changed[at]! ^ 1
        const path = join(downloads, 'changed.json')
        await writeFile(path, changed)
        const { status, output } = verify(path)
        expect(status, output).toBe(1)
        expect(output).toMatch(/REFUSED: \S+/)
      }
    })

    await test.step('a flipped byte of an artifact is refused with a reason', async () => {
      const artifact = artifactInside(receipt.bytes)
      const path = join(downloads, 'artifact')
      await writeFile(path, artifact)
      expect(verify(receipt.path, path).status).toBe(0)
      artifact[Math.floor(artifact.length / 2)]! ^= 1
      await writeFile(path, artifact)
      const { status, output } = verify(receipt.path, path)
      expect(status, output).toBe(1)
      expect(output).toMatch(/REFUSED: \S+/)
    })
    expect(errors).toEqual([])
  } catch (error) {
    console.log(installation.output.slice(-4_000))
    throw error
  } finally {
    await installation.stop()
    await rm(downloads, { recursive: true, force: true })
  }
})

async function openApproval(page: Page): Promise<void> {
  await page.goto(`${page.url().replace(/\/approval$/, '').replace(/\?.*$/, '')}/approval`)
  await expect(page.getByRole('button', { name: 'Request changes' })).toBeVisible()
}

async function download(page: Page, path: string, link: string): Promise<{ path: string; bytes: Buffer }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: link }).first().click()])
  await file.saveAs(path)
  return { path, bytes: await readFile(path) }
}

function verify(...paths: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'verify', '--', ...paths], { cwd: projectFolder, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/** Bytes of an artifact that the receipt carries. */
function artifactInside(receipt: Buffer): Buffer {
  const { contents } = JSON.parse(receipt.toString('utf8')) as { contents: { bytes: string }[] }
  return Buffer.from(contents[0]!.bytes, 'base64url')
}
