import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import type { AuditedStore, Changes, Paged, PageRequest, Workspace } from '../../store/store.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { type StoreOptions, shellQuote, storeCommand, storeFlag } from '../options.ts';
import { printable, show } from '../output/output.ts';
import { withChanges } from './open-database.ts';

/** Counts of everything that is deleted with a workspace. */
interface Contents {
  domains: number;
  projects: number;
  webhooks: number;
  keys: number;
}

type DeleteOptions = StoreOptions & { confirm?: string };

const PAGE = 100;

export function addDeleteWorkspace(
  workspaces: Command,
  exampleId: string,
  noWorkspace: (id: string) => CliError,
): void {
  const summary =
    'Delete a workspace with everything in it. Its domains are no longer served and cannot be restored. Without --confirm, the command only shows what it would delete. If it is interrupted, run it again to continue.';
  storeCommand(workspaces, 'delete <id>', summary, [exampleId, `${exampleId} --confirm acme`])
    .option('--confirm <name>', 'the name of the workspace, as "workspaces list" shows it')
    .action(async (id: string, options: DeleteOptions) => {
      await withChanges(options, 'workspaces delete', async (store) => {
        const workspace = await store.findWorkspace(id);
        if (workspace === null) throw noWorkspace(id);
        const contents = await contentsOf(store, id);
        requireConfirmation(workspace, contents, options);
        await deleteAll(store, id);
        show(
          options,
          { id, ...contents, deleted: true },
          () => `Deleted workspace ${printable(workspace.name)} (${id}).`,
        );
      });
    });
}

function requireConfirmation({ id, name }: Workspace, contents: Contents, options: DeleteOptions): void {
  if (options.confirm === name) return;
  const wrong = options.confirm === undefined ? '' : `Its name is not "${printable(options.confirm)}". `;
  const typed = `nameplate workspaces delete ${id} --confirm ${shellQuote(printable(name))}${storeFlag(options)}`;
  throw new CliError(
    `${wrong}The workspace "${printable(name)}" (${id}) has ${describe(contents)}; nothing was deleted.\nTo delete it with all of them: ${typed}`,
    { exitCode: EXIT.usage, details: { message: 'Not confirmed; nothing was deleted.', ...contents } },
  );
}

function describe(contents: Contents): string {
  return Object.entries(contents)
    .map(([what, count]) => `${count} ${count === 1 ? what.slice(0, -1) : what}`)
    .join(', ');
}

async function contentsOf(store: AuditedStore, id: string): Promise<Contents> {
  const count = async <T>(list: (page: PageRequest) => Promise<Paged<T>>) => {
    let found = 0;
    for await (const _ of every(list)) found += 1;
    return found;
  };
  return {
    domains: await count((page) => store.listWorkspaceDomains(id, page)),
    projects: await count((page) => store.listProjects(id, page)),
    webhooks: await count((page) => store.listWebhooks(id, page)),
    keys: (await store.listRootKeys(id)).length,
  };
}

/** Its keys are refused first, so that nothing is added meanwhile. */
async function deleteAll(store: AuditedStore & Changes, id: string): Promise<void> {
  await store.setWorkspaceDisabled(id, systemClock.now());
  for await (const { domain } of every((page) => store.listWorkspaceDomains(id, page)))
    await store.deleteDomain(id, domain.id, systemClock.now());
  for await (const project of every((page) => store.listProjects(id, page))) {
    for await (const app of every((page) => store.listApps(id, project.id, page))) {
      for await (const environment of every((page) => store.listEnvironments(id, app.id, page)))
        await store.deleteEnvironment(id, environment.id);
      await store.deleteApp(id, app.id);
    }
    await store.deleteProject(id, project.id);
  }
  if ((await store.deleteWorkspace(id)) === 'not_empty')
    throw new CliError(`Something was added to the workspace ${id} meanwhile. Run the same command again.`);
}

async function* every<T>(list: (page: PageRequest) => Promise<Paged<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await list({ limit: PAGE, cursor });
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}
