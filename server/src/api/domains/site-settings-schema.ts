import Type from 'typebox';
import {
  isPreloadable,
  MAX_HSTS_AGE,
  MIN_PRELOAD_AGE,
  type SiteSettings,
  type SiteSettingsPatch,
  TLS_VERSIONS,
} from '../../domain/site-settings.ts';
import { canonicalOrigin, originRules } from '../deployment-operations.ts';
import { closed, orNull } from '../schemas.ts';
import { invalid } from '../validation.ts';

/** Schemas of the settings of one domain. */

const hstsProperties = {
  maxAge: Type.Integer({
    minimum: 0,
    maximum: MAX_HSTS_AGE,
    description: 'For how many seconds browsers use only HTTPS; 0 ends a policy that they have stored.',
  }),
  includeSubDomains: Type.Optional(
    Type.Boolean({
      description:
        'Whether the policy covers every name below this one, including names that are served elsewhere: browsers no longer use HTTP for any of them. For an apex domain, let your customer decide.',
    }),
  ),
  preload: Type.Optional(
    Type.Boolean({
      description: `Whether browsers may build in the name (HSTS preloading), which takes months to undo. Needs \`includeSubDomains\` and a \`maxAge\` of at least ${MIN_PRELOAD_AGE}.`,
    }),
  ),
};

const minTlsVersion = Type.Enum([...TLS_VERSIONS], {
  type: 'string',
  description: 'The lowest TLS version that visitors may use; handshakes with a lower version are refused.',
});

const redirectToHttps = Type.Boolean({
  description: 'False: HTTP requests go to the origin instead of being redirected to HTTPS.',
});

/** As a response has them. */
export const SiteSettingsSchema = Type.Object(
  {
    origin: Type.Optional(
      Type.String({ description: "Where the traffic of the domain goes, in place of its environment's deployment." }),
    ),
    hsts: Type.Optional(
      Type.Object(hstsProperties, {
        title: 'Hsts',
        description: 'Policy of the `Strict-Transport-Security` header in its HTTPS responses.',
      }),
    ),
    minTlsVersion: Type.Optional(minTlsVersion),
    redirectToHttps: Type.Optional(redirectToHttps),
  },
  { title: 'SiteSettings', description: 'The settings of the domain that have been set.' },
);

/** The property of a request that changes them. */
export const changedSettings = Type.Object(
  {
    origin: orNull(
      Type.String({
        ...originRules,
        description:
          "Where the traffic of this domain goes, in place of its environment's deployment. It is an http or https URL that consists of scheme, host and port only. To set or remove it, the key also needs `create_deployment` for the environment.",
      }),
    ),
    hsts: orNull(
      Type.Object(hstsProperties, {
        ...closed,
        description:
          "`Strict-Transport-Security` (RFC 6797) in all HTTPS responses of this domain, in place of the origin's own header. A new value replaces the whole policy.",
      }),
    ),
    minTlsVersion: orNull(minTlsVersion),
    redirectToHttps: orNull(redirectToHttps),
  },
  {
    ...closed,
    description: 'Settings of this domain alone. An absent setting stays as it is; null removes it.',
  },
);

export const exampleSettings: SiteSettings = {
  hsts: { maxAge: MIN_PRELOAD_AGE },
  minTlsVersion: '1.3',
};

/** The change that a request asks for, its origin in canonical form. Throws a `Problem`. */
export function settingsPatch(input: SiteSettingsPatch): SiteSettingsPatch {
  if (input.hsts?.preload && !isPreloadable(input.hsts)) {
    throw invalid(
      'body.settings.hsts.preload',
      `needs "includeSubDomains" and a "maxAge" of at least ${MIN_PRELOAD_AGE} seconds`,
      `leave it out, or send {"maxAge": ${MIN_PRELOAD_AGE}, "includeSubDomains": true, "preload": true}`,
    );
  }
  if (input.origin == null) return input;
  return { ...input, origin: canonicalOrigin(input.origin, 'body.settings.origin') };
}
