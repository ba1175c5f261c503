import type { Command } from 'commander';
import { connect } from './api-client.ts';
import { type ApiOptions, apiCommand } from './options.ts';
import { show } from './output.ts';
import { describeDomain, type ShownDomain } from './show-domain.ts';

export function addRestore(domains: Command): void {
  const summary =
    'Bring a deleted domain back, with its id, its records and its certificate, within seven days unless the operator has set another time.';
  apiCommand(domains, 'restore <domain>', summary, ['nameplate domains restore shop.example.com']).action(
    async (name: string, options: ApiOptions) => {
      const api = await connect(options);
      show(options, await api.call<ShownDomain>('domains.restoreDomain', { domain: name }), describeDomain);
    },
  );
}
