import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { joinList } from '../../domain/text.ts';
import { baseName, isWildcard } from '../../domain/wildcard.ts';
import { addressRule } from '../../net/addresses.ts';
import { systemLookUp } from '../../net/system-dns.ts';
import { type ApiClient, type CommandCall, connect, nextCommand } from '../api/api-client.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { ApiOptions } from '../options.ts';
import { type Column, dateTime, paint, printable, show, table } from '../output/output.ts';
import { words } from '../output/show-domain.ts';
import { createBar } from '../output/terminal.ts';
import { createVisitor, placeOf, type Visit, type Visitor } from './edge-visit.ts';
import {
  type BoardOptions,
  type BoardSite,
  boardCommand,
  countBoard,
  type EdgeOption,
  type EdgePlace,
  edgeOption,
  edgePort,
  edgesOf,
  forEachOf,
  listBoard,
  resolversOf,
} from './move-board.ts';
import { share } from './move-status.ts';

interface CheckOptions extends BoardOptions, EdgeOption {
  all?: true;
}

/** Names that are visited at once. */
const IN_FLIGHT = 20;
const LOOKUP_MS = 10_000;
/** Addresses of a name that are visited. */
const MOST_ADDRESSES = 8;

export function addMoveCheck(move: Command): void {
  const summary =
    'Request a name from the edge as a browser will after the switch, while DNS still leads elsewhere. Shows the certificate and the response, next to those from where DNS leads now. With --all, request every name of the move from the edge. Exits with 3 if you have something to fix.';
  const examples = ['shop.example.com', 'shop.example.com --edge 203.0.113.7', '--all --from cloudflare'];
  const command = boardCommand(move, 'check [name]', summary, examples);
  edgeOption(command)
    .option('--all', 'check every name, and show those that fail')
    .action(async (name: string | undefined, options: ApiOptions & CheckOptions) => {
      if ((name === undefined) === (options.all === undefined))
        throw new CliError('Give a name, or --all.', { exitCode: EXIT.usage });
      const api = await connect(options);
      await (name === undefined ? checkAll({ api, options }) : checkOne({ api, options }, name));
    });
}

/** `reason`: why it is not ready; null: it is. */
interface CheckedName {
  domain: string;
  edge: Visit[];
  /** Where DNS leads now. */
  now: Visit[];
  reason: string | null;
}

async function checkOne(call: CommandCall<CheckOptions>, name: string): Promise<void> {
  const { api, options } = call;
  const {
    domain: { domain },
    blocker,
  } = await api.call<BoardSite>('domains.getSite', { domain: name });
  const edges = await edgesOf(api, options);
  const hostname = visitedName(domain);
  const [edge, now] = await Promise.all([
    visitAll(
      visitorOf(api, () => true),
      hostname,
      edges,
    ),
    visitAll(visitorOf(api, outside(api, edges)), hostname, await addressesOf(api, hostname)),
  ]);
  const problem = edge.find((visit) => visit.problem !== null);
  const seen = problem && `${placeOf(problem)}: ${problemText(problem)}`;
  const why = blocker && (blocker.message ?? words(blocker.reason));
  const reason = problem === undefined ? null : [why, seen].filter((text) => text !== undefined).join('; ');
  const checked: CheckedName = { domain, edge, now, reason };
  show(options, checked, () => describeCheck(checked, call));
  if (reason !== null) process.exitCode = EXIT.blocked;
}

/** A wildcard is asked for by a name below it. */
function visitedName(domain: string): string {
  return isWildcard(domain) ? `nameplate-check.${baseName(domain)}` : domain;
}

/** The addresses that DNS has for a name; none where it could not be read. */
async function addressesOf(api: ApiClient, hostname: string): Promise<EdgePlace[]> {
  const lookUp = systemLookUp(resolversOf(api));
  const found = await lookUp(hostname, AbortSignal.timeout(LOOKUP_MS)).catch(() => []);
  return found.slice(0, MOST_ADDRESSES).map((address) => ({ address, port: edgePort(api) }));
}

/** DNS is that of customers, so it may lead to no address but those on the Internet, and the edge. */
function outside({ playground }: ApiClient, edges: EdgePlace[]) {
  return addressRule([...edges.map(({ address }) => address), ...(playground === null ? [] : ['127.0.0.0/8'])]);
}

function visitorOf({ playground }: ApiClient, mayDial: (address: string) => boolean): Visitor {
  const trustRoots = playground === null ? undefined : readFileSync(playground.edge.ca, 'utf8');
  return createVisitor({ mayDial, clock: systemClock, trustRoots });
}

const visitAll = (visit: Visitor, hostname: string, at: EdgePlace[]) =>
  Promise.all(at.map((each) => visit(hostname, each)));

function problemText({ problem, status }: Visit): string {
  return problem === 'server_error' ? `status ${status}` : words(problem ?? '');
}

const VISIT_COLUMNS: Column<Visit>[] = [
  { title: 'Address', text: placeOf },
  { title: 'Status', text: ({ status }) => String(status ?? '') },
  { title: 'Server', text: ({ server }) => server ?? '' },
  { title: 'Issuer', text: ({ issuer }) => issuer ?? '' },
  { title: 'Expires', text: ({ notAfter }) => dateTime(notAfter) },
  { title: 'Problem', text: problemText, style: () => 'yellow' },
];

const COLUMNS: Column<Visit & { from: string }>[] = [{ title: 'Asked', text: ({ from }) => from }, ...VISIT_COLUMNS];

function describeCheck({ domain, edge, now, reason }: CheckedName, call: CommandCall<CheckOptions>): string {
  const at = (from: string) => (visit: Visit) => ({ ...visit, from });
  const seen = table(COLUMNS, [...edge.map(at('edge')), ...now.map(at('DNS now'))]);
  if (reason === null) return `${seen}\n\n${paint('green', `${printable(domain)} is ready to switch.`)}`;
  const headline = paint('yellow', `${printable(domain)} is not ready to switch: ${printable(reason)}`);
  return [seen, '', headline, '', nextCommand(call, `domains diagnose ${domain}`)].join('\n');
}

interface Failed extends Visit {
  domain: string;
}

const FAILED_COLUMNS: Column<Failed>[] = [{ title: 'Name', text: ({ domain }) => domain }, ...VISIT_COLUMNS];

/** The edge is asked for each name; names are read page by page. */
async function checkAll({ api, options }: CommandCall<CheckOptions>): Promise<void> {
  const edges = await edgesOf(api, options);
  const visit = visitorOf(api, () => true);
  const failed: Failed[] = [];
  let [checked, served] = [0, 0];
  const { total } = await countBoard(api, options);
  const bar = createBar(process.stderr);
  for await (const page of listBoard(api, options))
    await forEachOf(page, IN_FLIGHT, async ({ domain: { domain } }) => {
      const problems = (await visitAll(visit, visitedName(domain), edges)).filter(({ problem }) => problem !== null);
      failed.push(...problems.map((each) => ({ domain, ...each })));
      checked += 1;
      if (problems.length === 0) served += 1;
      bar.show('Names asked', Math.min(1, checked / total));
    });
  bar.clear();
  const summary = `The edge at ${joinList(edges.map(placeOf))} serves ${share(served, checked)} names.`;
  show(options, { checked, served, failed }, () =>
    failed.length === 0 ? summary : [table(FAILED_COLUMNS, failed), '', summary].join('\n'),
  );
  if (failed.length > 0) process.exitCode = EXIT.blocked;
}
