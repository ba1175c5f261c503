import { randomBytes } from 'node:crypto';
import { type Command, Option } from 'commander';
import { PRESET_NAMES, PRESETS, type PresetName } from '../../../../words/presets.ts';
import { createLinkSecret } from '../../access/dashboard-secrets.ts';
import { systemClock } from '../../base/clock.ts';
import { idMaker } from '../../base/ids.ts';
import { readCommandConfig } from '../../config/config.ts';
import { requirePermissions } from '../catalogue.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { collectNames, define, parseName, type StoreOptions, storeCommand } from '../options.ts';
import { paint, show } from '../output/output.ts';
import { changeAction, withChanges } from './open-database.ts';
import { EXAMPLE_WORKSPACE, noWorkspace } from './workspaces.ts';

/** How long a sign-in link works. */
const LINK_MS = 5 * 60_000;

interface LoginOptions extends StoreOptions {
  workspace: string;
  as: string;
  permission?: string[];
  preset?: PresetName;
  server?: string;
}

export function addDashboard(program: Command): void {
  const summary =
    'Sign people in to the dashboard and out of it. Opens the database itself, so no server needs to run.';
  const dashboard = define(program, 'dashboard', summary, [
    `nameplate dashboard login --workspace ${EXAMPLE_WORKSPACE} --as ada --preset owner`,
    `nameplate dashboard sign-out --workspace ${EXAMPLE_WORKSPACE} --as ada`,
  ]);
  addLogin(dashboard);
  addSignOut(dashboard);
}

function addLogin(dashboard: Command): void {
  const summary = 'Print a link that signs one person in to the dashboard. It works once, within five minutes.';
  storeCommand(dashboard, 'login', summary, [
    `--workspace ${EXAMPLE_WORKSPACE} --as ada --preset owner`,
    `--workspace ${EXAMPLE_WORKSPACE} --as grace --preset support --json`,
  ])
    .requiredOption('--workspace <id>', 'workspace whose dashboard opens')
    .requiredOption('--as <name>', 'the person, as timelines and the audit log show them', parseName)
    .option(
      '--permission <permission>',
      'what the person may do, such as environment.*.read_domain; repeat it for several. docs/reference/permissions.md lists all permissions',
      collectNames,
    )
    .addOption(
      new Option('--preset <preset>', 'a set of permissions, in addition to --permission').choices(PRESET_NAMES),
    )
    .option('--server <url>', 'where browsers reach the server (default: NAMEPLATE_PUBLIC_URL)')
    .action(async (options: LoginOptions) => {
      const { workspace, as: subject, permission = [], preset } = options;
      const permissions = [...new Set([...(preset ? PRESETS[preset] : []), ...permission])];
      if (permissions.length === 0)
        throw new CliError('Say what the person may do: --preset or --permission.', { exitCode: EXIT.usage });
      await requirePermissions('session', permissions);
      const server = serverOf(options);
      const { text, hash } = createLinkSecret(randomBytes);
      const createdAt = systemClock.now();
      const id = idMaker(systemClock)('ses');
      const times = { createdAt, openedAt: null, expiresAt: createdAt + LINK_MS };
      const session = { id, workspaceId: workspace, subject, permissions, ...times };
      const outcome = await withChanges(options, 'dashboard login', (store) =>
        store.createDashboardSession(session, hash),
      );
      if (outcome === 'workspace_missing') throw noWorkspace(workspace);
      const url = `${server}/dashboard#${text}`;
      show({ ...options }, { sessionId: id, url, expiresAt: times.expiresAt, subject, permissions }, () =>
        [`This link signs ${subject} in, once, within five minutes:`, '', `  ${paint('bold', url)}`].join('\n'),
      );
    });
}

function serverOf({ server }: LoginOptions): string {
  const url = server ?? readCommandConfig().publicUrl;
  if (url === undefined || !URL.canParse(url))
    throw new CliError('Where do browsers reach the server? Set NAMEPLATE_PUBLIC_URL, or use --server https://….', {
      exitCode: EXIT.usage,
    });
  return new URL(url).origin;
}

function addSignOut(dashboard: Command): void {
  const summary = 'End the sessions of one person, or of everyone in a workspace, within a second.';
  storeCommand(dashboard, 'sign-out', summary, [`--workspace ${EXAMPLE_WORKSPACE} --as ada`])
    .requiredOption('--workspace <id>', 'workspace whose sessions end')
    .option('--as <name>', 'only the sessions of this person', parseName)
    .action(
      changeAction(
        async ({
          store,
          options: { workspace, as },
        }: {
          store: Parameters<Parameters<typeof withChanges>[2]>[0];
          options: { workspace: string; as?: string };
        }) => ({
          ended: await store.endDashboardSessions(workspace, as ?? null),
        }),
        ({ ended }) => `Ended ${ended} ${ended === 1 ? 'session' : 'sessions'}.`,
      ),
    );
}
