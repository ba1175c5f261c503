import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import type { DomainRedirectSchema } from '../api/domains/redirect-operations.ts';
import { type ApiClient, connect } from './api-client.ts';
import { CliError, EXIT } from './cli-error.ts';
import { type ApiOptions, apiCommand } from './options.ts';
import { printable, show } from './output.ts';

type ShownRedirect = Static<typeof DomainRedirectSchema>;

interface RedirectOptions extends ApiOptions {
  to?: string | undefined;
  status?: string | undefined;
  remove?: true | undefined;
}

export function addRedirect(domains: Command): void {
  const summary =
    'Redirect all requests for a domain to another verified domain of the workspace, such as www to the apex. Without options: show where it redirects to.';
  apiCommand(domains, 'redirect <domain>', summary, [
    'nameplate domains redirect www.example.com --to example.com',
    'nameplate domains redirect www.example.com --to example.com --status 301',
    'nameplate domains redirect www.example.com --remove',
  ])
    .option('--to <domain>', 'name or id of the domain to redirect to')
    .addOption(
      new Option(
        '--status <status>',
        'status of the response: 308 keeps the method, 301 may not (default: 308)',
      ).choices(['301', '308']),
    )
    .option('--remove', 'remove the redirect')
    .action(async (name: string, { to, status, remove, ...options }: RedirectOptions) => {
      if (remove && to !== undefined) throw usageError('Give --to or --remove, not both.');
      if (to === undefined && status !== undefined) throw usageError('Give --status with --to.');
      const api = await connect(options);
      show(options, await perform(api, name, { to, status, remove }), describeRedirect);
    });
}

async function perform(
  api: ApiClient,
  domain: string,
  { to, status, remove }: Pick<RedirectOptions, 'to' | 'status' | 'remove'>,
): Promise<Pick<ShownRedirect, 'domain' | 'redirect'>> {
  if (to !== undefined)
    return api.call('domains.setRedirect', { domain, to, ...(status !== undefined && { status: Number(status) }) });
  if (!remove) return api.call('domains.getRedirect', { domain });
  await api.call('domains.removeRedirect', { domain });
  return { domain };
}

function usageError(message: string): CliError {
  return new CliError(message, { exitCode: EXIT.usage });
}

function describeRedirect({ domain, redirect }: Pick<ShownRedirect, 'domain' | 'redirect'>): string {
  if (redirect === undefined) return `${printable(domain)} does not redirect.`;
  return `${printable(domain)} redirects to ${printable(redirect.to)} (${redirect.status}).`;
}
