import Type, { type Static } from 'typebox';
import type { Domain } from '../../domain/domain.ts';
import { SUSPENSION_STATUSES, type Suspension } from '../../domain/suspension.ts';
import { closed, Id, Time } from '../schemas.ts';
import { exampleDomain } from './present-domain.ts';

export const SuspensionStatusSchema = Type.Enum([...SUSPENSION_STATUSES], {
  type: 'integer',
  description: 'Of the page in place of the site: 451 for legal reasons (RFC 7725), 503 for any other.',
});

export const SuspensionSchema = Type.Object(
  {
    status: SuspensionStatusSchema,
    by: Type.Enum(['workspace', 'operator'], {
      type: 'string',
      description:
        '`workspace`: domains.resumeDomain lifts it. `operator`: the operator of the server has suspended the domain or the whole workspace, and no key can lift it.',
    }),
    suspendedAt: Time('When it was set to this.'),
  },
  { ...closed, title: 'Suspension', description: 'That visitors get a page in place of the site.' },
);

export const DomainSuspensionSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    suspension: Type.Optional(SuspensionSchema),
  },
  { ...closed, title: 'DomainSuspension', description: '`suspension` is absent where the site is served.' },
);

export function presentSuspension({ status, by, suspendedAt }: Suspension): Static<typeof SuspensionSchema> {
  return { status, by, suspendedAt };
}

export function presentDomainSuspension(
  { id, name }: Pick<Domain, 'id' | 'name'>,
  suspension: Suspension | null,
): Static<typeof DomainSuspensionSchema> {
  return { domainId: id, domain: name, ...(suspension && { suspension: presentSuspension(suspension) }) };
}

export const exampleSuspension: Static<typeof DomainSuspensionSchema> = {
  domainId: exampleDomain.id,
  domain: exampleDomain.name,
  suspension: { status: 503, by: 'workspace', suspendedAt: exampleDomain.createdAt },
};
