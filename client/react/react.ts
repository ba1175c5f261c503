'use client';

/** For pages in React: `import { NameplateDomain, useDomain } from '@nameplate/client/react'`. */
export { NameplateDomain, type NameplateDomainProps } from './nameplate-domain.ts';
export { type FollowedDomain, type LinkAccess, useDomain } from './use-domain.ts';
