import type { Command } from 'commander';
import { type ApiOptions, apiCommand } from '../options.ts';
import { connect } from './api-client.ts';

/** The command that an assistant starts. */
export function addMcp(program: Command): void {
  const summary =
    'Serve tools for AI assistants over the Model Context Protocol (MCP), on standard input and output. The tools list domains that need attention, diagnose a domain, check a name, and create a set-up link.';
  apiCommand(program, 'mcp', summary, ['', '--key-file /run/secrets/assistant-key --url https://api.example.net'])
    .addHelpText('after', '\nThe preset "support" has what it needs, but for check_name: environment.*.create_domain.')
    .action(async (options: ApiOptions) => {
      const api = await connect(options);
      // Other commands start without the SDK.
      const { serveTools } = await import('./mcp-tools.ts');
      await serveTools(api);
    });
}
