import { randomBytes } from 'node:crypto';
import { createApi } from '../api/api.ts';
import { idMaker, pooled } from '../ids.ts';
import { type ListeningServer, listen } from '../net/listen.ts';
import { sharedLimiter } from '../ratelimit/shared-limiter.ts';
import { caaNamesOf } from './caa-names.ts';
import { openDiagnoser } from './open-diagnoser.ts';
import type { RoleDeps } from './roles.ts';

/** The API of one process. */
export async function startApi(deps: RoleDeps): Promise<ListeningServer> {
  const { store, changes, clock, log, metrics, config, windowMs, manyNodes } = deps;
  const settings = {
    service: config.service,
    docsUrl: config.docsUrl,
    cnameZone: config.cnameZone,
    edgeAddresses: config.edgeAddresses,
    caNames: caaNamesOf(config),
    reservedNames: config.reservedNames ?? [],
    rateLimits: config.rateLimits ?? {},
    trustedProxies: config.trustedProxies,
    windowMs,
  };
  const { diagnoser, close } = openDiagnoser(deps);
  const context = { store, clock, newId: idMaker(clock), randomBytes: pooled(randomBytes), settings, diagnoser };
  const limiter = manyNodes ? sharedLimiter({ store, clock, log }) : undefined;
  const app = createApi({ ...context, log, metrics, changes, ...(limiter && { limiter }) });
  await app.ready();
  const listening = await listen(app.server, config.listen, 'NAMEPLATE_LISTEN');
  return {
    address: listening.address,
    async stop() {
      await Promise.all([app.close(), listening.stop()]);
      await close();
      await limiter?.stop();
    },
  };
}
