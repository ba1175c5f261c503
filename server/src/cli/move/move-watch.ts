import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { canonicalAddress } from '../../net/addresses.ts';
import { systemLookUp } from '../../net/system-dns.ts';
import { type CommandCall, connect } from '../api/api-client.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { type ApiOptions, parseDuration } from '../options.ts';
import { jsonText, print, printable, timeOfDay } from '../output/output.ts';
import { createBar } from '../output/terminal.ts';
import { untilSignal } from '../signals.ts';
import { type Arrivals, createArrivals, type Lead, type LeadChange, leadOf } from './arrivals.ts';
import {
  type BoardOptions,
  boardCommand,
  type EdgeOption,
  edgeOption,
  edgesOf,
  forEachOf,
  listBoard,
  type ResolverOption,
  resolverOption,
  resolversOf,
} from './move-board.ts';
import { share } from './move-status.ts';

interface WatchOptions extends BoardOptions, EdgeOption, ResolverOption {
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
    'Look names up in DNS again and again, and show which lead to the edge, until Ctrl-C: at the switch, and on the way back. It asks DNS, not the server, and so it sees what visitors see. Exits with 3 if --timeout is reached first.';
  const json = 'print one JSON document a line, for each change';
  const command = boardCommand(move, 'watch', summary, ['', '--until all --timeout 1h', '--until none'], json);
  resolverOption(edgeOption(command))
    .addOption(new Option('--until <state>', 'end when all names lead to the edge, or none').choices(['all', 'none']))
    .option('--every <time>', 'time between two rounds, such as 10s', parseDuration, 10_000)
    .option('--timeout <time>', 'give up after this time, such as 90s or 10m (default: never)', parseDuration)
    .action(async (options: ApiOptions & WatchOptions) => watch({ api: await connect(options), options }));
}

async function watch({ api, options }: CommandCall<WatchOptions>): Promise<void> {
  const { until, every, timeout = Number.POSITIVE_INFINITY } = options;
  const edges = new Set((await edgesOf(api, options)).map(({ address }) => address));
  const names: string[] = [];
  // There is no address of a wildcard itself.
  for await (const page of listBoard(api, options))
    names.push(...page.map(({ domain }) => domain).filter((name) => !name.startsWith('*.')));
  if (names.length === 0) throw new CliError('No names found.');
  const interruption = new AbortController();
  void untilSignal().then(() => interruption.abort());
  const { signal } = interruption;
  const lookUp = leadLookUp(systemLookUp(resolversOf(api, options)), edges, signal);
  const arrivals = createArrivals();
  const screen = options.json ? JSON_LINES : createScreen(process.stdout, names.length);
  const deadline = systemClock.now() + timeout;
  while (!signal.aborted) {
    await forEachOf(names, IN_FLIGHT, async (name) => {
      if (signal.aborted) return;
      const change = arrivals.note(name, await lookUp(name));
      if (change !== null) screen.change(change);
    });
    screen.round(arrivals);
    if (until !== undefined && isReached(until, arrivals, names.length)) return screen.end();
    if (systemClock.now() >= deadline) break;
    await sleep(Math.max(SHORTEST_MS, every), undefined, { signal }).catch(() => {});
  }
  screen.end();
  if (until !== undefined && !signal.aborted) process.exitCode = EXIT.blocked;
}

/** Null: the name could not be looked up. */
function leadLookUp(lookUp: ReturnType<typeof systemLookUp>, edges: ReadonlySet<string>, signal: AbortSignal) {
  return async (name: string): Promise<Lead | null> => {
    try {
      const found = await lookUp(name, AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_MS)]));
      return leadOf(
        found.map((address) => canonicalAddress(address) ?? address),
        edges,
      );
    } catch {
      return null;
    }
  };
}

function isReached(until: 'all' | 'none', arrivals: Arrivals, total: number): boolean {
  if (until === 'all') return arrivals.count('here') === total;
  return arrivals.count('elsewhere') + arrivals.count('nowhere') === total;
}

interface Screen {
  change(change: LeadChange): void;
  round(arrivals: Arrivals): void;
  end(): void;
}

const JSON_LINES: Screen = {
  change: (change) => print(jsonText({ at: systemClock.now(), ...change })),
  round() {},
  end() {},
};

const LEADS: Record<Lead, string> = {
  here: 'arrived',
  partly: 'leads here with some of its addresses',
  elsewhere: 'leads elsewhere',
  nowhere: 'has no address',
};

/** A bar that is redrawn in place on a terminal; otherwise a line for each change, and the sum after a round that has any. */
export function createScreen(output: NodeJS.WriteStream, total: number, clock = systemClock): Screen {
  const bar = createBar(output);
  let before = '';
  return {
    change({ domain, before: left, after }) {
      // In the first round, names that have not arrived are no news.
      if (output.isTTY || (left === undefined && after !== 'here')) return;
      output.write(`${timeOfDay(clock.now())}  ${printable(domain)} ${LEADS[after]}\n`);
    },
    round(arrivals) {
      const here = arrivals.count('here');
      const text = `${share(here, total)} arrived`;
      if (output.isTTY) bar.show(text, here / total);
      else if (text !== before) output.write(`${text}\n`);
      before = text;
    },
    end() {
      if (!output.isTTY) return;
      bar.clear();
      output.write(`${before}\n`);
    },
  };
}
