import type { Command } from 'commander';
import type { AuditEntry, AuditFilter, AuditStore } from '../../store/store.ts';
import { parseLimit, parseName, type StoreOptions, storeCommand } from '../options.ts';
import { type Column, dateTime, printable, show, table } from '../output/output.ts';
import { withStore } from './open-database.ts';
import { EXAMPLE_WORKSPACE } from './workspaces.ts';

const DEFAULT_LIMIT = 50;
const PAGE = 100;

/** Things that have names, by the prefix of their ids. */
const KINDS: Record<string, string> = {
  ws: 'workspace',
  key: 'key',
  proj: 'project',
  app: 'app',
  env: 'environment',
  dom: 'domain',
};

const COLUMNS: Column<AuditEntry>[] = [
  { title: 'Time', text: ({ at }) => dateTime(at) },
  { title: 'Action', text: ({ action }) => printable(action) },
  { title: 'Of', text: thingOf },
  { title: 'By', text: ({ actor }) => printable(actor) },
  { title: 'From', text: ({ from }) => printable(from) },
  { title: 'Workspace', text: ({ workspaceId }) => workspaceId ?? '' },
];

interface AuditOptions extends StoreOptions, AuditFilter {
  workspace?: string;
  limit?: number;
  before?: string;
}

export function addAudit(program: Command): void {
  const summary =
    'Show who changed what, through the API or with commands, newest first. Opens the database itself, so no server needs to run.';
  storeCommand(program, 'audit', summary, [
    '--target shop.example.com',
    `--workspace ${EXAMPLE_WORKSPACE} --action domains.deleteDomain --limit 500 --json`,
  ])
    .option('--workspace <id>', 'only entries of one workspace')
    .option('--actor <actor>', 'only entries of this root key, set-up link, token subject or dashboard user', parseName)
    .option('--action <action>', 'only entries of this operation or command, such as "keys create"', parseName)
    .option('--target <id or name>', 'only entries about the resource that has, or had, this id or name', parseName)
    .option('--limit <n>', `how many entries to show (default: ${DEFAULT_LIMIT})`, parseLimit)
    .option(
      '--before <cursor>',
      'continue where the previous page ended: the value of "next" that --json prints',
      parseName,
    )
    .action(async ({ workspace, actor, action, target, before, limit = DEFAULT_LIMIT, ...options }: AuditOptions) => {
      const found = await withStore(options, (store) =>
        newest(store, workspace, { actor, action, target }, { limit, cursor: before }),
      );
      show(options, found, ({ entries, next }) => {
        if (entries.length === 0) return 'No entries.';
        const more = next === undefined ? '' : `\n\nThere are older ones: --before ${next}`;
        return table(COLUMNS, entries) + more;
      });
    });
}

/**
 * Names the target of an entry, such as `domain shop.example.com`; without a name by its id, whose prefix shows the
 * kind.
 */
function thingOf({ target, targetName }: AuditEntry): string {
  if (targetName === null) return printable(target);
  const kind = KINDS[target.slice(0, target.indexOf('_'))];
  return printable(kind === undefined ? targetName : `${kind} ${targetName}`);
}

async function newest(
  store: Pick<AuditStore, 'listAuditEntries'>,
  workspace: string | undefined,
  filter: AuditFilter,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<{ entries: AuditEntry[]; next?: string }> {
  const entries: AuditEntry[] = [];
  let next = cursor;
  do {
    const page = { ...filter, limit: Math.min(PAGE, limit - entries.length), cursor: next };
    const found = await store.listAuditEntries(workspace, page);
    entries.push(...found.items);
    next = found.next;
  } while (next !== undefined && entries.length < limit);
  return { entries, ...(next !== undefined && { next }) };
}
