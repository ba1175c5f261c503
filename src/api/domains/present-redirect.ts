import Type, { type Static } from 'typebox';
import type { Domain } from '../../domain/domain.ts';
import { REDIRECT_STATUSES } from '../../domain/redirect.ts';
import type { Redirect } from '../../store/contract/store.ts';
import { closed, Id, Time } from '../schemas.ts';
import { exampleDomain } from './present-domain.ts';

export const RedirectStatusSchema = Type.Enum([...REDIRECT_STATUSES], {
  type: 'integer',
  description:
    'Of the response: 308 keeps the method and the body of a request; after 301, browsers send GET in place of POST.',
});

export const RedirectSchema = Type.Object(
  {
    to: Type.String({
      minLength: 4,
      maxLength: 253,
      description: 'Canonical name of the domain that is redirected to.',
    }),
    status: RedirectStatusSchema,
    setAt: Time('When it was set to this.'),
  },
  { ...closed, title: 'Redirect', description: 'Where the requests for a domain are redirected to.' },
);

export const DomainRedirectSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    redirect: Type.Optional(RedirectSchema),
  },
  { ...closed, title: 'DomainRedirect', description: '`redirect` is absent where requests go to the origin.' },
);

export function presentRedirect({ to, status, setAt }: Redirect): Static<typeof RedirectSchema> {
  return { to, status, setAt };
}

export function presentDomainRedirect(
  { id, name }: Pick<Domain, 'id' | 'name'>,
  redirect: Redirect | null,
): Static<typeof DomainRedirectSchema> {
  return { domainId: id, domain: name, ...(redirect && { redirect: presentRedirect(redirect) }) };
}

export const exampleRedirect: Static<typeof DomainRedirectSchema> = {
  domainId: exampleDomain.id,
  domain: 'www.example.com',
  redirect: { to: 'example.com', status: 308, setAt: exampleDomain.createdAt },
};
