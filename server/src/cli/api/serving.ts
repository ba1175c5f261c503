import { type Command, Option } from 'commander';
import type { Static } from 'typebox';
import type { DomainRedirectSchema } from '../../api/domains/redirect-operations.ts';
import type { DomainSuspensionSchema } from '../../api/domains/suspension-operations.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { apiCommand } from '../options.ts';
import { type Column, dateTime, printable } from '../output/output.ts';
import { apiAction, type CommandCall } from './api-client.ts';

/** Commands that replace the site for visitors: a redirect, or the page of a suspended one. */
export function addServing(domains: Command): void {
  addRedirect(domains);
  addSuspend(domains);
}

type ShownRedirect = Pick<Static<typeof DomainRedirectSchema>, 'domain' | 'redirect'>;

interface RedirectOptions {
  to?: string;
  status?: string;
  remove?: true;
}

function addRedirect(domains: Command): void {
  const summary =
    'Redirect all requests for a domain to another verified domain of the workspace, such as www to the apex. Without options, show where the domain redirects to.';
  apiCommand(domains, 'redirect <domain>', summary, [
    'www.example.com --to example.com',
    'www.example.com --to example.com --status 301',
    'www.example.com --remove',
  ])
    .option('--to <domain>', 'name or id of the domain to redirect to')
    .addOption(
      new Option(
        '--status <status>',
        'status of the redirect: 308 keeps the request method; after 301, browsers send GET in place of POST (default: 308)',
      ).choices(['301', '308']),
    )
    .option('--remove', 'remove the redirect')
    .hook('preAction', (_, command) => {
      const { to, status, remove } = command.opts<RedirectOptions>();
      if (remove && to !== undefined) throw usageError('Give --to or --remove, not both.');
      if (to === undefined && status !== undefined) throw usageError('Give --status with --to.');
    })
    .action(
      apiAction(
        async (
          { api, options: { to, status, remove } }: CommandCall<RedirectOptions>,
          domain,
        ): Promise<ShownRedirect> => {
          if (to !== undefined)
            return api.call('domains.setRedirect', { domain, to, ...(status && { status: Number(status) }) });
          if (!remove) return api.call('domains.getRedirect', { domain });
          await api.call('domains.removeRedirect', { domain });
          return { domain };
        },
        ({ domain, redirect }) =>
          redirect === undefined
            ? `${printable(domain)} does not redirect.`
            : `${printable(domain)} redirects to ${printable(redirect.to)} (${redirect.status}).`,
      ),
    );
}

function usageError(message: string): CliError {
  return new CliError(message, { exitCode: EXIT.usage });
}

type ShownSuspension = Static<typeof DomainSuspensionSchema>;

function addSuspend(domains: Command): void {
  const summary =
    'Serve a page in place of a site, until it is resumed. The domain keeps its status, its checks and its certificate.';
  apiCommand(domains, 'suspend <domain>', summary, ['shop.example.com', 'shop.example.com --status 451'])
    .addOption(statusOption())
    .action(
      apiAction(({ api, options: { status } }: CommandCall<{ status: string }>, domain) => {
        const body = { domain, status: Number(status) };
        return api.call<ShownSuspension>('domains.suspendDomain', body);
      }, describeSuspension),
    );
  apiCommand(domains, 'resume <domain>', 'Serve a suspended site again.', ['shop.example.com']).action(
    apiAction(({ api }, domain) => api.call<ShownSuspension>('domains.resumeDomain', { domain }), describeSuspension),
  );
}

/** The option of the commands that suspend. */
export function statusOption(): Option {
  return new Option('--status <status>', 'status of the page: 451 for legal reasons, 503 for any other reason')
    .choices(['451', '503'])
    .default('503');
}

function describeSuspension({ domain, suspension }: ShownSuspension): string {
  if (suspension === undefined) return `${printable(domain)} is not suspended.`;
  const by = suspension.by === 'operator' ? ' by the operator of the server, and no key can lift that' : '';
  return `${printable(domain)} is suspended${by}: visitors get a page with status ${suspension.status}.`;
}

interface Suspendable {
  suspension?: { status: number; suspendedAt: number } | null;
}

/** A column that names what is suspended, where anything is. */
export function withSuspensions<Row extends object>(
  columns: Column<Row>[],
  rows: readonly (Row & Suspendable)[],
): Column<Row & Suspendable>[] {
  if (rows.every(({ suspension }) => !suspension)) return columns;
  const text = ({ suspension }: Suspendable) =>
    suspension ? `${suspension.status} since ${dateTime(suspension.suspendedAt)}` : '';
  return [...columns, { title: 'Suspended', text, style: () => 'yellow' }];
}
