import { setImmediate } from 'node:timers/promises';
import Type from 'typebox';
import { MOVED } from '../../domain/certificate-state.ts';
import type { BroughtCertificates } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import type { Need } from '../find.ts';
import { readImport } from '../imported-certificate.ts';
import type { HandlerContext } from '../operation.ts';
import { closed } from '../schemas.ts';
import { broughtFiles } from './certificate-operations.ts';

/** The option `certificate` of the operation that attaches many names. */

export interface BroughtFiles {
  certificates: string;
  privateKey: string;
}

export const broughtCertificate = Type.Optional(
  Type.Object(broughtFiles, {
    ...closed,
    title: 'BroughtCertificate',
    description:
      'The certificate from the server that the name moves from, as for domains.uploadCertificate with `managed`. The domain has it from the start, so none is ordered. If anything is wrong with it, the name is refused. The key needs `update_domain` on the environment.',
  }),
);

export const certificateUse: Need = {
  permission: { resource: 'environment', action: 'update_domain' },
  where: 'on the environment, if the request has a `certificate`',
};

/** A certificate as the store keeps it; null where the name has none. A problem names the place in the item at `location`. */
export async function readBrought(
  files: BroughtFiles | undefined,
  name: string,
  location: string,
  { clock }: Pick<HandlerContext, 'clock'>,
): Promise<BroughtCertificates[string] | Problem | null> {
  if (files === undefined) return null;
  // A check takes ten milliseconds.
  await setImmediate();
  try {
    return readImport(name, files, clock.now(), Math.random(), MOVED);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const errors = error.errors?.map((each) => ({
      ...each,
      location: each.location.replace(/^body/, `${location}.certificate`),
    }));
    return new Problem(error.code, errors && { errors });
  }
}
