import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { canonicalAddress } from '../../net/addresses.ts';
import { systemLookUp } from '../../net/system-dns.ts';
import { type CommandCall, connect } from '../api/api-client.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { type ApiOptions, parseDuration } from '../options.ts';
import { jsonText, print, printable, timeOfDay } from '../output/output.ts';
import { untilSignal } from '../signals.ts';
import {
  type BoardOptions,
  boardCommand,
  type EdgeOption,
  edgeOption,
  edgesOf,
  forEachOf,
  listBoard,
  resolversOf,
} from './move-board.ts';
import { share } from './move-status.ts';

interface WatchOptions extends BoardOptions, EdgeOption {
  until?: 'all' | 'none';
  every: number;
  timeout?: number;
}

/** Lookups in flight. */
const IN_FLIGHT = 50;
const LOOKUP_MS = 10_000;
/** A round asks DNS for every name, so it is not begun more often. */
const SHORTEST_MS = 1000;

export function addMoveWatch(move: Command): void {
  const summary =
    'Look up names in DNS repeatedly, and print which of them lead to the edge, until you press Ctrl-C. Use it during the switch, or to switch back. It looks the names up from this machine, so it sees what visitors see. With --until, exits with 3 if --timeout is reached first.';
  const json = 'print one JSON document a line, for each change';
  const command = boardCommand(move, 'watch', summary, ['', '--until all --timeout 1h', '--until none'], json);
  edgeOption(command)
    .addOption(
      new Option('--until <state>', 'stop when all names lead to the edge, or when none does').choices(['all', 'none']),
    )
    .addOption(
      new Option('--every <time>', 'time between two rounds of lookups')
        .argParser(parseDuration)
        .default(10_000, '10s'),
    )
    .option('--timeout <time>', 'give up after this time, such as 90s or 10m (default: never)', parseDuration)
    .action(async (options: ApiOptions & WatchOptions) => watch({ api: await connect(options), options }));
}

async function watch({ api, options }: CommandCall<WatchOptions>): Promise<void> {
  const { until, every, timeout = Number.POSITIVE_INFINITY, json } = options;
  const edges = new Set((await edgesOf(api, options)).map(({ address }) => address));
  const names: string[] = [];
  // There is no address of a wildcard itself.
  for await (const page of listBoard(api, options))
    names.push(...page.map(({ domain }) => domain.domain).filter((name) => !name.startsWith('*.')));
  if (names.length === 0) throw new CliError('No names found.');
  const interruption = new AbortController();
  void untilSignal().then(() => interruption.abort());
  const { signal } = interruption;
  const lookUp = systemLookUp(resolversOf(api));
  const leads = new Map<string, Lead>();
  const deadline = systemClock.now() + timeout;
  let before = '';
  while (!signal.aborted) {
    await forEachOf(names, IN_FLIGHT, async (name) => {
      if (signal.aborted) return;
      const within = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_MS)]);
      const found = await lookUp(name, within).catch(() => null);
      const change = noteLead(leads, name, found && leadOf(found, edges));
      if (change !== null && json) print(jsonText({ at: systemClock.now(), ...change }));
      else if (change !== null) printChange(change);
    });
    const count = (lead: Lead) => [...leads.values()].filter((each) => each === lead).length;
    const arrived = count('here');
    const text = `${share(arrived, names.length)} arrived`;
    if (text !== before && !json) print(text);
    before = text;
    if (until !== undefined && (until === 'all' ? arrived : count('elsewhere')) === names.length) return;
    if (systemClock.now() >= deadline) break;
    await sleep(Math.max(SHORTEST_MS, every), undefined, { signal }).catch(() => {});
  }
  if (until !== undefined && !signal.aborted) process.exitCode = EXIT.blocked;
}

/** `here`: all addresses of the name are the edge's. `partly`: some are. */
export type Lead = 'here' | 'partly' | 'elsewhere';

/** `edges` in canonical form. */
export function leadOf(addresses: readonly string[], edges: ReadonlySet<string>): Lead {
  const here = addresses.filter((address) => edges.has(canonicalAddress(address) ?? address)).length;
  if (here === 0) return 'elsewhere';
  return here === addresses.length ? 'here' : 'partly';
}

/** `before` is undefined in the first round. */
interface LeadChange {
  domain: string;
  before: Lead | undefined;
  after: Lead;
}

/** Returns the change, if there is one. Null: the name could not be looked up, so it stays where it was. */
export function noteLead(leads: Map<string, Lead>, domain: string, after: Lead | null): LeadChange | null {
  const before = leads.get(domain);
  if (after === null || after === before) return null;
  leads.set(domain, after);
  return { domain, before, after };
}

const LEADS: Record<Lead, string> = {
  here: 'arrived',
  partly: 'leads here with some of its addresses',
  elsewhere: 'leads elsewhere',
};

function printChange({ domain, before, after }: LeadChange): void {
  // In the first round, names that have not arrived are no news.
  if (before !== undefined || after !== 'elsewhere')
    print(`${timeOfDay(systemClock.now())}  ${printable(domain)} ${LEADS[after]}`);
}
