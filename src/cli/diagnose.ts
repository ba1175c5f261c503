import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { connect } from './api-client.ts';
import { EXIT } from './cli-error.ts';
import { type ApiOptions, apiCommand } from './options.ts';
import { show } from './output.ts';
import { describeDiagnosis, isBlocked, type ShownDiagnosis } from './show-diagnosis.ts';
import { describeName, type ShownName } from './show-name.ts';
import { type Level, type PathOptions, pathFrom, pathOptions } from './tree-commands.ts';

const PATH: Level[] = ['project', 'app', 'environment'];

/** The commands that ask DNS. */
export function addDiagnosis(domains: Command): void {
  addDiagnose(domains);
  addCheck(domains);
}

function addDiagnose(domains: Command): void {
  const summary =
    'Ask the nameservers of a domain now, and show what is wrong, where, and what to type instead. Changes nothing. Exits with 3 if something has to be fixed.';
  apiCommand(domains, 'diagnose <domain>', summary, [
    'nameplate domains diagnose shop.example.com',
    'nameplate domains diagnose shop.example.com --cached --json',
  ])
    .option('--cached', 'show what the last check found, without asking the nameservers')
    .action(async (name: string, { cached, ...options }: ApiOptions & { cached?: true }) => {
      const api = await connect(options);
      const body = { domain: name, ...(cached && { cached }) };
      const diagnosis = await api.call<ShownDiagnosis>('domains.diagnoseDomain', body);
      show(options, diagnosis, (found) => describeDiagnosis(found, systemClock.now()));
      if (isBlocked(diagnosis)) process.exitCode = EXIT.blocked;
    });
}

function addCheck(domains: Command): void {
  const summary =
    'Check a name before it is added: whether it is valid, where its DNS is edited, and which records are in the way. Exits with 3 if it cannot be added, or something has to be fixed.';
  const command = apiCommand(domains, 'check <domain>', summary, [
    'nameplate domains check shop.example.com',
    'nameplate domains check example.com --json',
  ]);
  pathOptions(command, PATH).action(async (name: string, options: ApiOptions & PathOptions) => {
    const api = await connect(options);
    const checked = await api.call<ShownName>('domains.checkName', { ...pathFrom(api, options, PATH), domain: name });
    show(options, checked, describeName);
    if (!checked.valid || checked.held || isBlocked(checked)) process.exitCode = EXIT.blocked;
  });
}
