// All doors, one Mission, one Space: a person in a browser, an Agent that signs for itself, an MCP client, an I.A.P. bidder and an IOA client.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Locator, type Page } from '@playwright/test'
import { IAPClient, workOfferOf, type ReceivedContext, type TaskAssignment } from '../../sdk/index.ts'
import { addAgent, addKeyHolder, newToken } from '../fixtures/agents-page.ts'
import { enrol, sign } from '../fixtures/console-steps.ts'
import { eventually } from '../fixtures/eventually.ts'
import { Installation, projectFolder } from '../fixtures/installation.ts'
import { IoaNode, type IoaMessage } from '../fixtures/ioa-node.ts'
import { McpWorker } from '../fixtures/mcp-worker.ts'
import { MissionDesk } from '../fixtures/mission-desk.ts'
import { CRITERIA, LINK_CHECK, linksContract, REPORT, reportContract } from '../fixtures/release-notes-mission.ts'

const capabilityOf = ({ id, version }: { readonly id: string; readonly version: string }): string => `${id}@${version}`

test('agents of every door and a person complete one mission in one Space; the graph shows it, the person signs, the receipt verifies', async ({ page }) => {
  test.setTimeout(5 * 60_000)
  const installation = await Installation.start()
  const downloads = await mkdtemp(join(tmpdir(), 'countersign-downloads-'))
  const { origin } = installation
  const ending: (() => Promise<unknown>)[] = []
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  try {
    await enrol(page, installation.ownerInvitation)

    const { coordinator, tokens } = await test.step('an administrator adds an agent for each door', async () => {
      await page.goto(`${origin}/agents`)
      const coordinator = await addKeyHolder(page, { name: 'Coordinator', capability: 'countersign.coordination@1.0.0' })
      const writer = await addAgent(page, { door: 'MCP', name: 'Writer', capability: capabilityOf(REPORT) })
      const scribe = await addAgent(page, { door: 'IOA', name: 'Scribe', capability: 'release.notes@1.0.0' })
      const checker = await addAgent(page, { door: 'Inter-Agent Protocol', name: 'Checker', capability: capabilityOf(LINK_CHECK) })
      const rival = await addAgent(page, { door: 'Inter-Agent Protocol', name: 'Rival', capability: capabilityOf(LINK_CHECK) })
      const negotiator = await newToken(page, 'Coordinator', ['IOA', 'Inter-Agent Protocol'])
      return { coordinator, tokens: { writer: writer.token, scribe: scribe.token, checker: checker.token, rival: rival.token, negotiator: negotiator.token } }
    })

    const desk = await MissionDesk.open({ origin, ...coordinator })
    ending.push(() => desk.close())
    await test.step('the person founds the mission with the MWP agent in charge', () => createMission(page, origin))
    await desk.takeCharge()
    const members = Object.fromEntries(await Promise.all(['Writer', 'Checker', 'Rival', 'Scribe'].map(async (name) => [name, await desk.agentCalled(name)] as const)))
    for (const agentId of Object.values(members)) await desk.bringIn(agentId)
    const deadline = new Date(Date.now() + 12 * 3_600_000).toISOString()

    const report = reportContract(deadline)
    const reportWork = await desk.authorize(report)
    const writer = await test.step('MCP: a client takes an offer, publishes and hands in', async () => {
      const writer = await McpWorker.connect({ url: `${origin}/mcp`, headers: { authorization: `Bearer ${tokens.writer}` } })
      ending.push(() => writer.close())
      const offered = nextOffer(writer)
      await desk.offer(reportWork.workItemId, members['Writer']!, report)
      await handIn(writer, await offered, { name: 'report.md', content: '# What is new\n\nSee [the guide](guide.md).\n', criterionId: 'report' })
      return writer
    })

    const links = linksContract(deadline)
    const linksWork = await desk.authorize(links)
    await test.step('I.A.P.: two agents bid, the Coordinator signs the offer to the better one, and its result is handed in', async () => {
      const join = (agentId: string, token: string) => joinIap(origin, { agentId, token, ending })
      const [checker, rival, negotiator] = [await join('checker', tokens.checker), await join('rival', tokens.rival), await join('coordinator', tokens.negotiator)]
      bidFor(rival, 9)
      bidFor(checker, 4)
      const assigned = new Promise<TaskAssignment>((resolve) => checker.on('TASK_ASSIGNMENT', ({ payload }) => resolve(payload)))
      const told = new Promise<ReceivedContext>((resolve) => negotiator.onContext(resolve))
      const proposal = { description: links.goal, requiredCapability: LINK_CHECK.id, input: { report: 'report.md' }, maxCost: 10, maxLatency: 120_000 }
      const result = negotiator.propose(proposal, { work: { groupId: desk.groupId, workItemId: linksWork.workItemId } })
      const { taskId, assignmentId } = await assigned
      checker.accept({ taskId, assignmentId })

      const award = await findAward(IoaNode.withToken(origin, tokens.negotiator), { spaceId: desk.groupId, taskId })
      expect(award.agentId).toBe('checker')
      expect(award.bids.map(({ bidderId, estimatedCost }) => [bidderId, estimatedCost]).sort()).toEqual([['checker', 4], ['rival', 9]])
      const { entries } = await writer.call<{ entries: readonly { readonly what?: string }[] }>('mission_read', { group_id: desk.groupId })
      expect(entries.map(({ what }) => what)).toEqual(expect.arrayContaining(['Bid 4 by Checker', 'Bid 9 by Rival', 'Awarded to Checker, chosen from 2 bids']))
      await desk.say(`The links go to checker, who bids 4; rival bids 9.`, [award.messageId])
      const basis = workOfferOf(await told)!
      expect(basis.payload).toMatchObject({ candidateAgentIds: [members['Checker']], selectionBasis: { expectedCost: 4 } })
      await desk.signOffer(basis)
      checker.sendResult({ taskId, assignmentId, status: 'completed', result: { 'guide.md': 'found' } })
      expect(await result).toMatchObject({ status: 'completed', result: { 'guide.md': 'found' } })
    })
    const artifactHashes = [...(await desk.acceptResult(reportWork.workItemId, 'report')), ...(await desk.acceptResult(linksWork.workItemId, 'links'))]

    await test.step('IOA: a client reads the graph and asks; the person answers in the conversation; the client hears it', async () => {
      const scribe = IoaNode.withToken(origin, tokens.scribe)
      const space = (await scribe.spaces()).find(({ id }) => id === desk.groupId)!
      const published = (await scribe.read(space.id)).find(({ content_type, content }) => content_type === 'mwp/artifact.published' && JSON.stringify(content).includes('report.md'))!
      const owner = space.nodes.find(({ name }) => name === 'Mara Owner')!
      const question = await scribe.send(space.id, { content: { text: 'Shall the notes name the authors?' }, refs: { messages: [published.id], nodes: [owner.id] } })
      const heard = await scribe.follow(space.id, question.id)
      ending.push(() => heard.return())

      await page.getByRole('link', { name: 'Conversation', exact: true }).click()
      await page.getByRole('article').filter({ hasText: 'Shall the notes name the authors?' }).getByRole('button', { name: 'Reply' }).click()
      await page.getByRole('textbox', { name: 'Message' }).fill('Yes, by their first names.')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await expect(page.getByRole('article').filter({ hasText: 'Yes, by their first names.' }).getByRole('button', { name: 'Reply' })).toBeVisible()

      const answer = (await heard.next()).value as IoaMessage
      expect(answer).toMatchObject({ sender: owner.id, refs: { messages: [question.id] } })
      const upstream = await scribe.read(space.id, `message_id=${encodeURIComponent(answer.id)}&direction=upstream`)
      expect(upstream.map(({ id }) => id)).toEqual([published.id, question.id, answer.id])
    })
    await desk.submitForApproval(artifactHashes, 'The report is written and its links lead somewhere.')

    await test.step('the person sees all of it in one graph', () => expectWholeGraph(page))

    await test.step('checks and signs', async () => {
      await page.goto(`${origin}/approvals`)
      await page.getByRole('link', { name: /Release notes/ }).click()
      for (const name of ['report.md', 'links']) {
        const artifact = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
        await expect(artifact).toContainText('Recomputed here: matches')
        await artifact.getByRole('button', { name: 'Open the preview' }).click()
      }
      await expect(page.getByText('Not proven')).toBeHidden()
      await sign(page, 'Approve')
      await expect(page.getByText('Approved and verified')).toBeVisible()
    })

    await test.step('the receipt verifies offline and states both artifacts', async () => {
      const path = join(downloads, 'receipt.json')
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download the receipt' }).first().click()])
      await file.saveAs(path)
      const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'verify', '--', path], { cwd: projectFolder, encoding: 'utf8' })
      expect(status, stdout + stderr).toBe(0)
      for (const name of ['report.md', 'links']) expect(stdout).toContain(name)
    })
    expect(errors).toEqual([])
    expect(installation.output, 'the server met no fault of its own').not.toContain('"level":50')
  } catch (error) {
    console.log(installation.output.slice(-4_000))
    throw error
  } finally {
    await Promise.all(ending.map((end) => end().catch(() => undefined)))
    await installation.stop()
    await rm(downloads, { recursive: true, force: true })
  }
})

async function createMission(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/missions/new`)
  await page.getByLabel('Title').fill('Release notes')
  await page.getByLabel('Objective').fill('Say what is new in this release, with links that lead somewhere.')
  await page.getByRole('button', { name: 'Add a criterion' }).click()
  for (const [at, { criterionId, description }] of CRITERIA.entries()) {
    await page.getByLabel('Short name').nth(at).fill(criterionId)
    await page.getByLabel('What has to be true').nth(at).fill(description)
  }
  await page.getByRole('radio', { name: /Coordinator/ }).check()
  await sign(page, 'Review and sign')
  await page.waitForURL(/\/missions\/urn/)
}

interface WorkName { readonly group_id: string; readonly work_item_id: string }
interface Offer extends WorkName { readonly offer_id: string }

async function nextOffer(worker: McpWorker): Promise<Offer> {
  const { offers } = await worker.call<{ offers: readonly Offer[] }>('work_offers', { wait_seconds: 50 })
  expect(offers).toHaveLength(1)
  return offers[0]!
}

/** Accepts, publishes the one deliverable, which is called like its criterion, and submits it; resolves with its hash. */
async function handIn(worker: McpWorker, { group_id, work_item_id, offer_id }: Offer, { criterionId, ...file }: { readonly name: string; readonly content: string; readonly criterionId: string }): Promise<string> {
  const work: WorkName = { group_id, work_item_id }
  expect(await worker.call('work_accept', { ...work, offer_id })).toMatchObject({ state: 'active', is_yours: true })
  const { content_hash } = await worker.call<{ content_hash: string }>('artifact_publish', { ...work, ...file, deliverable_id: criterionId })
  const evidence = [{ criterion_id: criterionId, type: 'artifact_integrity', method: 'Read it again after publishing.', result: 'passed' }]
  expect(await worker.call('work_submit', { ...work, artifact_hashes: [content_hash], evidence })).toMatchObject({ state: 'submitted' })
  return content_hash
}

async function joinIap(origin: string, { agentId, token, ending }: { readonly agentId: string; readonly token: string; readonly ending: (() => Promise<unknown>)[] }): Promise<IAPClient> {
  const client = new IAPClient(`${origin.replace(/^http/, 'ws')}/iap`, { token })
  ending.push(() => client.close())
  const capabilities = agentId === 'coordinator' ? [] : [{ id: LINK_CHECK.id, type: `x-${LINK_CHECK.id}`, name: 'Link check', description: 'Follows links.' }]
  await client.connect({ agentId, name: agentId, capabilities })
  return client
}

function bidFor(client: IAPClient, estimatedCost: number): void {
  client.on('TASK_PROPOSAL', ({ payload: { taskId } }) => client.bid({ taskId, estimatedLatency: 10_000, estimatedCost, confidence: 0.9 }))
}

interface Award {
  readonly messageId: string
  readonly agentId: string
  readonly bids: readonly { readonly bidderId: string; readonly estimatedCost: number }[]
}

/** The award as an IOA client reads it in the Space of the Mission, with the bids that it refers to. */
async function findAward(node: IoaNode, { spaceId, taskId }: { readonly spaceId: string; readonly taskId: string }): Promise<Award> {
  const isAward = ({ content_type, content }: IoaMessage) => content_type === 'iap/task_assignment' && content['taskId'] === taskId
  const messages = await eventually(() => node.read(spaceId), (all) => all.some(isAward), { timeoutMs: 30_000, what: 'the award' })
  const message = messages.find(isAward)!
  const { agentId } = message.content as { agentId: string }
  const bids = messages.filter(({ id, content_type }) => content_type === 'iap/task_bid' && message.refs.messages.includes(id)).map(({ content }) => content['bid'] as Award['bids'][number])
  return { messageId: message.id, agentId, bids }
}

/** What each door did is an entry, tied to what it rests on by a link that the log holds. */
async function expectWholeGraph(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1_900, height: 2_400 })
  await page.getByRole('link', { name: 'Graph', exact: true }).click()
  for (const words of ['Shall the notes name the authors?', 'Writer published report.md']) await expect(page.getByRole('application').getByText(words)).toBeVisible()

  await page.getByRole('button', { name: /Show as table/ }).click()
  const row = (words: string) => page.getByRole('treegrid').getByRole('row').filter({ hasText: words })
  const founded = row('Mara Owner created the mission')
  await expect(founded).toBeVisible()
  for (const [child, link, parent] of [
    ['Coordinator offered “Write the report” to Writer', 'caused by', 'Coordinator authorized “Write the report”'],
    ['Writer accepted “Write the report”', 'caused by', 'Coordinator offered “Write the report” to Writer'],
    ['Writer submitted “Write the report”', 'made from', 'Writer published report.md'],
    ['The links go to checker, who bids 4', 'replies to', 'Awarded to Checker, chosen from 2 bids'],
    ['Proposal: Coordinator asks for bids on “Check the links”', 'caused by', 'Coordinator authorized “Check the links”'],
    ['Asked for bids: 2 agents', 'replies to', 'Proposal: Coordinator asks for bids on “Check the links”'],
    ['Bid 4 by Checker', 'replies to', 'Proposal: Coordinator asks for bids on “Check the links”'],
    ['Bid 9 by Rival', 'replies to', 'Proposal: Coordinator asks for bids on “Check the links”'],
    ['Awarded to Checker, chosen from 2 bids', 'decides on', 'Bid 4 by Checker'],
    ['Awarded to Checker, chosen from 2 bids', 'decides on', 'Bid 9 by Rival'],
    ['Checker takes the award', 'replies to', 'Awarded to Checker, chosen from 2 bids'],
    ['Coordinator offered “Check the links” to Checker', 'caused by', 'Awarded to Checker, chosen from 2 bids'],
    ['Checker accepted “Check the links”', 'caused by', 'Coordinator offered “Check the links” to Checker'],
    ['Checker accepted “Check the links”', 'caused by', 'Checker takes the award'],
    ['Result of Checker', 'replies to', 'Checker takes the award'],
    ['Checker published links for', 'caused by', 'Result of Checker'],
    ['Checker submitted “Check the links”', 'made from', 'Checker published links for'],
    ['Shall the notes name the authors?', 'replies to', 'Writer published report.md'],
    ['Yes, by their first names.', 'replies to', 'Shall the notes name the authors?'],
    ['Coordinator submitted revision', 'decides on', 'Writer published report.md'],
    ['Coordinator submitted revision', 'decides on', 'Checker published links for'],
  ] as const) await expectLink(row(child), link, row(parent))
}

async function expectLink(child: Locator, link: string, parent: Locator): Promise<void> {
  await expect(parent).toBeVisible()
  const [, sequence] = /#(\d+)/.exec(await parent.innerText()) ?? []
  await expect(child).toContainText(new RegExp(`${link} #${sequence}(?!\\d)`))
}
