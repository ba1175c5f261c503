import type { Command } from 'commander';
import { apiAction, type CommandCall, nextCommand } from '../api/api-client.ts';
import { EXIT } from '../cli-error.ts';
import { type Column, dateTime, paint, shortDuration, table } from '../output/output.ts';
import { words } from '../output/show-domain.ts';
import {
  type BoardOptions,
  type BoardSite,
  boardCommand,
  countBoard,
  listBoard,
  type SiteCounts,
} from './move-board.ts';

interface StatusOptions extends BoardOptions {
  all?: true;
}

/** A name that is not ready to switch. */
type Blocked = { domain: string } & NonNullable<BoardSite['blocker']>;

interface Status extends SiteCounts {
  blocked?: Blocked[];
}

export function addMoveStatus(move: Command): void {
  const summary =
    'Show how many names are ready to switch, and why the others are not. Exits with 3 if any name is not ready.';
  boardCommand(move, 'status', summary, ['', '--from cloudflare --all', '--json'])
    .option('--all', 'show every name that is not ready')
    .action(
      apiAction(async ({ api, options }: CommandCall<StatusOptions>): Promise<Status> => {
        const counts = await countBoard(api, options);
        if (counts.readyToSwitch < counts.total) process.exitCode = EXIT.blocked;
        if (!options.all) return counts;
        const blocked: Blocked[] = [];
        for await (const page of listBoard(api, options, { ready: false }))
          for (const { domain, blocker } of page) if (blocker) blocked.push({ domain: domain.domain, ...blocker });
        return { ...counts, blocked };
      }, describeStatus),
    );
}

type Group = SiteCounts['blockers'][number];

const GROUP_COLUMNS: Column<Group>[] = [
  { title: 'Names', text: ({ count }) => count.toLocaleString('en-US') },
  { title: 'Reason', text: ({ reason }) => words(reason) },
  { title: 'Oldest', text: ({ oldest }) => oldest.domain },
  { title: 'Since', text: ({ oldest }) => dateTime(oldest.since) },
  { title: 'Details', text: ({ oldest }) => oldest.message ?? '' },
];

const BLOCKED_COLUMNS: Column<Blocked>[] = [
  { title: 'Name', text: ({ domain }) => domain },
  { title: 'Reason', text: ({ reason }) => words(reason) },
  { title: 'Since', text: ({ since }) => dateTime(since) },
  { title: 'Details', text: ({ message }) => message ?? '' },
];

function describeStatus(status: Status, call: CommandCall<StatusOptions>): string {
  const { total, blockers, blocked = [] } = status;
  if (total === 0) return `No names found.\n\n${nextCommand(call, 'move from --help')}`;
  return [
    headline(status),
    ...(blockers.length === 0 ? [] : ['', table(GROUP_COLUMNS, blockers)]),
    ...timeLeftLines(status),
    ...(blocked.length === 0 ? [] : ['', table(BLOCKED_COLUMNS, blocked)]),
    ...nextStep(status, call),
  ].join('\n');
}

function headline({ total, readyToSwitch, live }: SiteCounts): string {
  const ready = `${share(readyToSwitch, total)} ready to switch`;
  const seen = live === 0 ? '' : `; visitors reach ${live.toLocaleString('en-US')} here`;
  return `${paint(readyToSwitch === total ? 'green' : 'yellow', ready)}${seen}.`;
}

function timeLeftLines({ waiting, timeLeftMs, pace }: SiteCounts): string[] {
  if (waiting === 0 || timeLeftMs === undefined || pace === undefined) return [];
  const names = `${waiting.toLocaleString('en-US')} ${waiting === 1 ? 'name waits' : 'names wait'} for a certificate`;
  const at = pace.cas === 1 ? '' : `, at ${pace.cas} CAs`;
  const rate = `${pace.names.toLocaleString('en-US')} new names per ${shortDuration(pace.windowMs)}${at}`;
  const left = timeLeftMs === 0 ? 'all may be ordered now' : `at most ${shortDuration(timeLeftMs)} left`;
  return ['', `${names}: ${left}, at ${rate}.`];
}

/** `912 of 1,000` */
export function share(part: number, total: number): string {
  return `${part.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`;
}

function nextStep({ total, readyToSwitch, live }: SiteCounts, call: CommandCall<StatusOptions>): string[] {
  if (live === total) return [];
  if (readyToSwitch === total) return ['', nextCommand(call, 'move check --all')];
  return call.options.all ? [] : ['', nextCommand(call, 'move status --all')];
}
