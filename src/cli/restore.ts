import type { Command } from 'commander';
import { ApiError, connect } from './api-client.ts';
import { EXIT } from './cli-error.ts';
import { type ApiOptions, apiCommand } from './options.ts';
import { jsonText, print, printable, show } from './output.ts';
import { describeDomain, type ShownDomain } from './show-domain.ts';
import { withRetries } from './with-retries.ts';

/** Why a domain cannot be restored; any other error concerns all of them. */
const REFUSALS = [403, 404, 409, 412];

export function addRestore(domains: Command): void {
  const summary =
    'Bring deleted domains back, with their ids, records and certificates, within seven days unless the operator has set another time. Exits with 3 if some of several were refused.';
  const example = 'nameplate domains restore shop.example.com';
  apiCommand(domains, 'restore <domain...>', summary, [example, `${example} www.example.com`]).action(
    async (names: string[], options: ApiOptions) => {
      const api = await connect(options);
      const restore = (domain: string) => api.call<ShownDomain>('domains.restoreDomain', { domain });
      const [only, ...others] = names;
      if (only !== undefined && others.length === 0) return show(options, await restore(only), describeDomain);
      const restored: ShownDomain[] = [];
      const refused: { domain: string; reason: string }[] = [];
      for (const name of names) {
        let outcome: string;
        try {
          const domain = await withRetries(() => restore(name));
          restored.push(domain);
          outcome = `restored, ${domain.status}`;
        } catch (error) {
          if (!(error instanceof ApiError && REFUSALS.includes(error.status))) throw error;
          refused.push({ domain: name, reason: error.detail });
          outcome = `not restored. ${error.detail}`;
        }
        if (!options.json) print(printable(`${name}: ${outcome}`));
      }
      if (options.json) print(jsonText({ restored, refused }));
      if (refused.length > 0) process.exitCode = EXIT.blocked;
    },
  );
}
