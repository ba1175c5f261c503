import { Command, CommanderError } from 'commander';
import packageFile from '../../package.json' with { type: 'json' };
import { addAudit } from './audit.ts';
import { addCertificates } from './certificates.ts';
import { EXIT, reportError } from './cli-error.ts';
import { addBackup, addCopy, addMigrate } from './databases.ts';
import { addDemo } from './demo.ts';
import { addDev } from './dev.ts';
import { addDns } from './dns.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addDomains } from './domains.ts';
import { addInit } from './init.ts';
import { addKeys } from './keys.ts';
import { addReload } from './reload.ts';
import { addSealing } from './sealing.ts';
import { addServe } from './serve.ts';
import { addTokens } from './tokens.ts';
import { addTree } from './tree-commands.ts';
import { addWebhooks } from './webhooks.ts';
import { addWorkspaces } from './workspaces.ts';

const COMMANDS = [
  addDev,
  addDemo,
  addServe,
  addReload,
  addMigrate,
  addBackup,
  addCopy,
  addDoctor,
  addInit,
  addWorkspaces,
  addKeys,
  addTokens,
  addAudit,
  addCertificates,
  addSealing,
  addTree,
  addDomains,
  addWebhooks,
  addDns,
];

const HELP = `
What commands need:
  nothing           dev, demo, sealing key; dns, while the playground runs
  the settings      serve, doctor (NAMEPLATE_CNAME_ZONE and others:
                    docs/configuration.md)
  the database      init, migrate, backup, workspaces, keys, tokens,
                    audit, certificates, sealing rotate, sealing forget, doctor:
                    they open it themselves, by NAMEPLATE_DATABASE_URL or
                    --database. No server has to run.
  a running server  reload, on this machine, by the settings or --control
  two databases     copy, from SQLite to PostgreSQL. No server may run.
  its API           projects, apps, environments, deployments, domains, webhooks:
                    they call it, by NAMEPLATE_URL and NAMEPLATE_ROOT_KEY.
                    Without these, they call the playground.

Exit codes: 0 done, 1 failed, 2 typed wrongly, 3 done and something has to be
fixed, such as a DNS record (docs/operations.md).

Examples:
  $ nameplate dev
  $ nameplate domains create shop.example.com
  $ nameplate domains wait --help`;

/** All commands. `running` is the command whose action has started. */
export function createProgram(): { program: Command; running: () => Command | undefined } {
  let started: Command | undefined;
  const program = new Command('nameplate')
    .description('Custom domains for your platform, self-hosted.')
    .version(packageFile.version, '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`nameplate: ${withoutValues(text)}`) })
    .hook('preAction', (_, command) => {
      started = command;
    })
    .addHelpText('after', HELP);
  for (const add of COMMANDS) add(program);
  return { program, running: () => started };
}

/** Commander's message without the values that were typed, which may be keys and passwords. */
function withoutValues(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/^(option '.*?') argument '.*' is invalid\./s, '$1 is invalid.')
    .replace(/^command-argument value '.*' is invalid for (argument '.*?')\./s, '$1 is invalid.')
    .replace(/^(unknown option '[^=\n]*)=.*'/, "$1'");
}

/** Runs the command that `args` name; its exit code is `process.exitCode`. Never rejects. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const { program, running } = createProgram();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
    else process.exitCode = reportError(error, running()?.opts().json === true);
  }
}
