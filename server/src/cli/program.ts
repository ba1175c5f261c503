import { Command, CommanderError, Help, type Option } from 'commander';
import packageFile from '../../../package.json' with { type: 'json' };
import { addDomains } from './api/domains.ts';
import { addMcp } from './api/mcp.ts';
import { addOrigins } from './api/origins.ts';
import { addUsage } from './api/show-usage.ts';
import { addTree } from './api/tree-commands.ts';
import { addWebhooks } from './api/webhooks.ts';
import { EXIT, reportError } from './cli-error.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addMove } from './move/move.ts';
import { addReload } from './serve/reload.ts';
import { addServe } from './serve/serve.ts';
import { addAudit } from './store/audit.ts';
import { addCertificates } from './store/certificates.ts';
import { addDashboard } from './store/dashboard.ts';
import { addBackup, addCopy, addMigrate } from './store/databases.ts';
import { addDomainConnect } from './store/domain-connect.ts';
import { addInit } from './store/init.ts';
import { addKeys } from './store/keys.ts';
import { addSealing } from './store/sealing.ts';
import { addTargets } from './store/targets.ts';
import { addTokens } from './store/tokens.ts';
import { addWorkspaces } from './store/workspaces.ts';

/** Adds a command to the program. */
export type AddCommand = (program: Command) => void;

const COMMANDS: AddCommand[] = [
  addServe,
  addReload,
  addMigrate,
  addBackup,
  addCopy,
  addDoctor,
  addInit,
  addWorkspaces,
  addKeys,
  addTargets,
  addTokens,
  addDashboard,
  addDomainConnect,
  addAudit,
  addCertificates,
  addSealing,
  addTree,
  addOrigins,
  addDomains,
  addWebhooks,
  addUsage,
  addMove,
  addMcp,
];

const help = (hasPlayground: boolean) => `
What commands need:
  nothing           ${hasPlayground ? 'dev, demo, sealing key; dns, while the playground runs' : 'sealing key'}
  the settings      serve, doctor (NAMEPLATE_CNAME_ZONE and others:
                    docs/reference/configuration.md)
  the database      init, migrate, backup, workspaces, keys, targets,
                    tokens, dashboard, domain-connect, audit, certificates,
                    doctor, sealing rotate, sealing forget:
                    they open it themselves, with NAMEPLATE_DATABASE_URL or
                    --database. No server needs to run.
  a running server  reload, on this machine, with the settings or --control
  two databases     copy, from SQLite to PostgreSQL. Stop every server first.
  its API           projects, apps, environments, deployments, origins, domains,
                    webhooks, usage, move, mcp: they use NAMEPLATE_URL and
                    NAMEPLATE_ROOT_KEY. Without these, they call the playground.

Exit codes: 0 done, 1 failed, 2 wrong command line, 3 done but you have something to
fix, such as a DNS record (docs/guides/operations.md).

Examples:${hasPlayground ? '\n  $ nameplate dev' : ''}
  $ nameplate domains create shop.example.com
  $ nameplate domains wait --help`;

/** The commands of the server, after those of the playground. `running` is the command whose action has started. */
export function createProgram(playground: readonly AddCommand[] = []): {
  program: Command;
  running: () => Command | undefined;
} {
  let started: Command | undefined;
  const program = new Command('nameplate')
    .description('Custom domains for your platform, self-hosted.')
    .version(packageFile.version, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .showHelpAfterError('Add --help to see what it takes.')
    .exitOverride()
    .configureHelp({ optionDescription })
    .configureOutput({ outputError: (text, write) => write(`nameplate: ${withoutValues(text)}`) })
    .hook('preAction', (_, command) => {
      started = command;
    })
    .addHelpText('after', help(playground.length > 0));
  for (const add of [...playground, ...COMMANDS]) add(program);
  return { program, running: () => started };
}

/** As Commander's, which does not say that an option is required. */
function optionDescription(option: Option): string {
  const about = Help.prototype.optionDescription(option);
  return option.mandatory ? `${about} (required)` : about;
}

/** Commander's message without the values that were typed, which may be keys and passwords. */
function withoutValues(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/^(option '.*?') argument '.*' is invalid\./s, '$1 is invalid.')
    .replace(/^command-argument value '.*' is invalid for (argument '.*?')\./s, '$1 is invalid.')
    .replace(/^(unknown option '[^=\n]*)=.*'/, "$1'");
}

/**
 * Runs the command that this process was started with. `playground`: the playground's commands, if they are installed.
 */
export async function runProgram(playground: readonly AddCommand[] = []): Promise<void> {
  // The reader of a pipe may close it early (`| head`).
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  await runCommand(process.argv.slice(2), playground);
}

/** Runs the command that `args` name; its exit code is `process.exitCode`. Never rejects. */
export async function runCommand(args: readonly string[], playground: readonly AddCommand[] = []): Promise<void> {
  const { program, running } = createProgram(playground);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
    else process.exitCode = reportError(error, running()?.opts().json === true);
  }
}
