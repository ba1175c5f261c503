import type { Command } from 'commander';
import { readCommandConfig, serverVariablesIn } from '../../config/config.ts';
import { askToReload, NoServer } from '../../net/handover/control-socket.ts';
import { controlPath, programPath } from '../../net/handover/handover-paths.ts';
import { CliError } from '../cli-error.ts';
import { define, jsonOption } from '../options.ts';
import { type JsonOption, show } from '../output/output.ts';

interface ReloadOptions extends JsonOption {
  control?: string;
}

const DETAILS = `
The running server starts another process, with this program and these
settings, gives it its listening sockets, and accepts no more connections once that
one is ready. Those that are open may go on for NAMEPLATE_DRAIN_SECONDS. If the other
process does not become ready, the running one goes on, and this command says why.

With the settings of a server in its environment (NAMEPLATE_CNAME_ZONE and others),
as systemd runs it, the new process gets these. Without them it gets those of the
running server.`;

export function addReload(program: Command): void {
  const summary = 'Replace the running server on this machine without an outage. SIGHUP does the same.';
  const examples = ['systemctl reload nameplate', '--control /var/lib/nameplate/control.sock'];
  jsonOption(define(program, 'reload', summary, examples))
    .option('--control <path>', 'the control socket of the server (default: NAMEPLATE_CONTROL)')
    .addHelpText('after', DETAILS)
    .action(async (options: ReloadOptions) => {
      const path = options.control ?? controlPath(readCommandConfig(), process.env);
      if (path === null) {
        throw new CliError(
          'The settings name no control socket. Send SIGHUP to the server instead, or set NAMEPLATE_CONTROL for server and command.',
        );
      }
      const request = { program: programPath(process.argv, process.env), variables: serverVariablesIn() };
      const { ok, message } = await askToReload(path, request).catch((error: unknown) => {
        if (error instanceof NoServer)
          throw new CliError(
            `${error.message} Run this as the user of the server, with its settings, or use --control.`,
          );
        throw error;
      });
      if (!ok) throw new CliError(message);
      show(options, { message }, () => `Reloaded. ${message}`);
    });
}
