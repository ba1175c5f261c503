import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { findPrograms } from '../../support/debian.ts';
import { type Service, startService } from '../../support/service.ts';
import { type CountedPebble, NEW, OLD, visit, type World } from './moving-lab.ts';

/** Caddy obtains at most 20 certificates in ten seconds. Several, with one storage, obtain those of all names sooner. */
const HELPERS = Array.from({ length: 6 }, (_, i) => `127.0.0.${10 + i}`);

/**
 * Caddy as many platforms have it: certificates on demand, for names that the platform's own server knows. It has one
 * for each name, since each was visited. Resolves with its storage.
 */
export async function startWarmCaddy(world: World, ca: CountedPebble): Promise<{ storage: string; caddy: Service }> {
  const { directory, names, origin, closing } = world;
  const known = new Set(names);
  const ask = createServer(({ url = '' }, response) => {
    response.writeHead(known.has(new URL(url, origin).searchParams.get('domain') ?? '') ? 200 : 404).end();
  });
  await once(ask.listen(0, NEW), 'listening');
  closing.push(() => ask.close());
  const askAt = `http://${NEW}:${(ask.address() as AddressInfo).port}/`;
  const start = (address: string) => startCaddy(world, ca, { address, askAt });

  const caddy = await start(OLD);
  closing.push(caddy.close);
  const secureContext = createSecureContext({ ca: ca.issuingRoots });
  // Caddy makes its account with the first.
  const [first = '', ...others] = names;
  await visit(world, { name: first, secureContext, host: OLD });
  const helpers = await Promise.all(HELPERS.map(start));
  await Promise.all(
    [OLD, ...HELPERS].map(async (host) => {
      for (let name = others.pop(); name !== undefined; name = others.pop())
        await visit(world, { name, secureContext, host }).catch((error: Error) => {
          const log = [caddy, ...helpers].flatMap((one) => one.log().split('\n')).filter((line) => line.includes(name));
          throw new Error(`${name} at ${host}: ${error.message}\n${log.join('\n')}`);
        });
    }),
  );
  await Promise.all(helpers.map((helper) => helper.close()));
  return { storage: join(directory, 'caddy'), caddy };
}

async function startCaddy(
  { directory, http, https, origin }: World,
  ca: CountedPebble,
  { address, askAt }: { address: string; askAt: string },
): Promise<Service> {
  const path = join(directory, `Caddyfile.${address}`);
  const roots = join(directory, 'caddy-ca.pem');
  await writeFile(roots, ca.trustRoots);
  await writeFile(
    path,
    `{
	admin off
	skip_install_trust
	http_port ${http}
	https_port ${https}
	on_demand_tls {
		ask ${askAt}
		interval 1s
		burst 100
	}
}
https:// {
	bind ${address}
	tls {
		on_demand
		issuer acme {
			dir ${ca.directoryUrl}
			trusted_roots ${roots}
			disable_tlsalpn_challenge
		}
	}
	reverse_proxy ${origin}
}
http:// {
	bind ${address}
	reverse_proxy /.well-known/acme-challenge/* ${NEW}:${http}
}
`,
  );
  const programs = await findPrograms('caddy', ['caddy']);
  const env = { ...process.env, ...programs.env, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const words = ['run', '--config', path, '--adapter', 'caddyfile'];
  return startService(programs.path('caddy'), words, { env, ready: /serving initial configuration/ });
}
