import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addApps } from './apps.ts';
import { addBackup } from './backup.ts';
import { addCertificates } from './certificates.ts';
import { addCopy } from './copy.ts';
import { addDemo } from './demo.ts';
import { addDeployments } from './deployments.ts';
import { addDev } from './dev.ts';
import { addDns } from './dns.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addDomains } from './domains.ts';
import { addEnvironments } from './environments.ts';
import { addKeys } from './keys.ts';
import { addMigrate } from './migrate.ts';
import { addProjects } from './projects.ts';
import { addSealing } from './sealing.ts';
import { addServe } from './serve.ts';
import { addTokens } from './tokens.ts';
import { addWorkspaces } from './workspaces.ts';

const COMMANDS = [
  addDev,
  addDemo,
  addServe,
  addMigrate,
  addBackup,
  addCopy,
  addDoctor,
  addWorkspaces,
  addKeys,
  addTokens,
  addCertificates,
  addSealing,
  addProjects,
  addApps,
  addEnvironments,
  addDeployments,
  addDomains,
  addDns,
];

/** All commands. `running` is the one that was chosen, once its action has begun. */
export function createProgram(): { program: Command; running: () => Command | undefined } {
  let chosen: Command | undefined;
  const program = new Command('nameplate')
    .description('Custom domains for your platform, self-hosted.')
    .version(versionOf('../../package.json'), '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`nameplate: ${withoutValues(text)}`) })
    .hook('preAction', (_, command) => {
      chosen = command;
    })
    .addHelpText(
      'after',
      '\nExamples:\n  $ nameplate dev\n  $ nameplate domains create shop.example.com\n  $ nameplate domains wait --help',
    );
  for (const add of COMMANDS) add(program);
  return { program, running: () => chosen };
}

/** Commander's sentence without the values that were typed: they may be keys and passwords, and our own sentence says what matters. */
function withoutValues(sentence: string): string {
  return sentence
    .replace(/^error: /, '')
    .replace(/^(option '.*?') argument '.*' is invalid\./s, '$1 is wrong.')
    .replace(/^command-argument value '.*' is invalid for (argument '.*?')\./s, '$1 is wrong.')
    .replace(/^(unknown option '[^=\n]*)=.*'/, "$1'");
}

function versionOf(packageFile: string): string {
  return JSON.parse(readFileSync(new URL(packageFile, import.meta.url), 'utf8')).version;
}
