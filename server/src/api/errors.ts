/** The errors of the API: one table, from which responses, the OpenAPI document and the error pages are generated. */

/** Title and short type of an error, by its status (spec: Errors). */
export const STATUSES = {
  400: { title: 'Bad Request', type: 'validation-error' },
  401: { title: 'Unauthorized', type: 'unauthorized' },
  403: { title: 'Forbidden', type: 'forbidden' },
  404: { title: 'Not Found', type: 'not-found' },
  405: { title: 'Method Not Allowed', type: 'method-not-allowed' },
  406: { title: 'Not Acceptable', type: 'not-acceptable' },
  408: { title: 'Request Timeout', type: 'request-timeout' },
  409: { title: 'Conflict', type: 'conflict' },
  412: { title: 'Precondition Failed', type: 'precondition-failed' },
  413: { title: 'Content Too Large', type: 'content-too-large' },
  422: { title: 'Unprocessable Content', type: 'unprocessable-content' },
  429: { title: 'Too Many Requests', type: 'rate-limited' },
  431: { title: 'Request Header Fields Too Large', type: 'request-header-fields-too-large' },
  500: { title: 'Internal Server Error', type: 'internal-server-error' },
} as const;

export type ErrorStatus = keyof typeof STATUSES;

interface ErrorEntry {
  status: ErrorStatus;
  /** Default of `detail` in the response. No secrets, nothing internal. */
  detail: string;
  /** Short type, where the one of the status says too little for a program. */
  type?: string;
  /** On the error page: why it happens and what to do. */
  why: string;
  fix: string;
}

export const ERRORS = {
  'authentication/missing': {
    status: 401,
    detail: 'The request has no Authorization header. Send "Authorization: Bearer <ROOT_KEY>".',
    why: 'Every operation needs a root key, and this request had no Authorization header.',
    fix: 'Send the header "Authorization: Bearer <ROOT_KEY>". If your client sends it, check whether a proxy in between removes it.',
  },
  'authentication/malformed': {
    status: 401,
    detail:
      'The Authorization header does not contain a root key. Send "Authorization: Bearer <ROOT_KEY>"; keys begin with np_.',
    why: 'The header is not "Bearer", one space and a root key (or a dashboard token). Keys carry a checksum, so a key with a missing or mistyped character is malformed too: "detail" says so then.',
    fix: 'Copy the whole key, without quotation marks or line breaks. It begins with np_ and has 42 characters. The token of a set-up link (nps_) is no key: setup.openSession takes it in its body and returns a session token for this header.',
  },
  'authentication/key_not_found': {
    status: 401,
    detail: 'The root key or token does not exist. It may have been revoked, or it has expired.',
    why: 'The key is well-formed but does not exist: it was revoked, it has expired, or it belongs to another installation. A dashboard token gets this error when it has expired, was changed, or was signed by another installation.',
    fix: 'Check that you use the server that the key was created on, or create a new key with "nameplate keys create". Dashboard tokens are valid for two minutes at most: get a new one.',
  },
  'authentication/setup_link_not_found': {
    status: 401,
    type: 'setup-link-not-found',
    detail: 'The set-up link does not exist. Its domain may have been deleted.',
    why: 'No set-up link has this token. The domain was deleted with its links, the link expired more than 30 days ago, or it belongs to another installation.',
    fix: 'Make a new link with domains.createSetupLink. Customers ask the platform that sent it.',
  },
  'authentication/setup_link_incomplete': {
    status: 401,
    type: 'setup-link-incomplete',
    detail: 'The set-up link is incomplete or was changed. Open it as it was sent.',
    why: 'No set-up link has a token like this one, which was cut off or changed on its way. Tokens begin with nps_ and carry a checksum, so a missing or mistyped character shows.',
    fix: 'Open the whole link as it was sent: the part behind # has 43 characters.',
  },
  'authentication/setup_link_expired': {
    status: 401,
    type: 'setup-link-expired',
    detail: 'The set-up link has expired.',
    why: 'A set-up link works until the time that domains.createSetupLink returned as expiresAt.',
    fix: 'Make a new link with domains.createSetupLink. Customers ask the platform that sent it.',
  },
  'authentication/setup_link_revoked': {
    status: 401,
    type: 'setup-link-revoked',
    detail: 'The set-up link was revoked.',
    why: 'Somebody revoked the link with domains.revokeSetupLink. Its sessions ended within a second.',
    fix: 'Make a new link with domains.createSetupLink. Customers ask the platform that sent it.',
  },
  'authentication/dashboard_link_not_found': {
    status: 401,
    type: 'dashboard-link-not-found',
    detail: 'The sign-in link does not work any more. Each link works once, for five minutes.',
    why: 'A link of "nameplate dashboard login" signs in one browser, once, within five minutes. This one was opened before, has expired, or was not copied whole.',
    fix: 'Make another one with "nameplate dashboard login", or ask the operator of this installation for one.',
  },
  'authentication/dashboard_signed_out': {
    status: 401,
    type: 'dashboard-signed-out',
    detail: 'Nobody is signed in to the dashboard in this browser.',
    why: 'The session has expired after twelve hours, it was ended here or everywhere, or nobody has signed in.',
    fix: 'Make a link with "nameplate dashboard login" and open it. Behind a proxy with single sign-on, check NAMEPLATE_DASHBOARD_PROXY.',
  },
  'authorization/key_disabled': {
    status: 403,
    detail: 'The root key is disabled. Use another key, or ask the operator to enable it ("nameplate keys enable").',
    why: 'An operator disabled this key. It still exists and can be enabled again.',
    fix: 'Use another key, or ask the operator of this installation to enable it ("nameplate keys enable").',
  },
  'authorization/workspace_disabled': {
    status: 403,
    detail: 'The workspace of the root key is disabled. Ask the operator to enable it ("nameplate workspaces enable").',
    why: 'An operator disabled the workspace of the key. None of its keys works.',
    fix: 'Ask the operator of this installation to enable the workspace ("nameplate workspaces enable").',
  },
  'authorization/insufficient_permissions': {
    status: 403,
    detail: 'The root key lacks the permission for this operation.',
    why: 'The key does not have the permission for the operation on the workspace itself, or on something that it may read. The field "detail" names the permission. (Where the key may not read the resource either, a missing permission gets 404, so that keys cannot be used to find out what exists.)',
    fix: 'Use a key that has the permission, or ask the operator of this installation for one ("nameplate keys create --permission").',
  },
  'authorization/exceeds_caller': {
    status: 403,
    type: 'exceeds-caller',
    detail: 'Nobody can give what they do not have.',
    why: 'A key gives keys, tokens and workspaces no permission that it does not have itself. None of them works longer than the key that made it. A rotation makes a key with all permissions of the old one, so its caller needs all of them. "detail" says what was too much.',
    fix: 'Ask for less, or use a key that has what you want to give. The operator of this installation can make any key ("nameplate keys create").',
  },
  'authorization/root_key_required': {
    status: 403,
    type: 'root-key-required',
    detail: 'A dashboard token cannot make keys, tokens or workspaces. Use a root key.',
    why: 'Anything that a dashboard token makes could not outlive it, and it lives for two minutes at most. So only root keys make keys, tokens and workspaces.',
    fix: 'Call the operation with a root key, from a server: a root key must not reach a browser.',
  },
  'authorization/forbidden': {
    status: 403,
    detail: 'The operation is not allowed.',
    why: 'No key may do this, whatever its permissions. The name is reserved, or another step comes first, such as deleting the domains of an environment before the environment.',
    fix: 'Read "detail" in the response: it gives the reason.',
  },
  'authorization/setup_session': {
    status: 403,
    detail: 'A session of a set-up link may not call this operation.',
    why: 'The token is that of a session of a set-up link. It reaches one domain, with domains.getDomain, domains.watchDomain, domains.diagnoseDomain, domains.getCertificate and domains.verifyDomain; that of a support link with domains.getSite, domains.diagnoseDomain, domains.getCertificate, domains.listEvents and usage.getUsage.',
    fix: 'Call other operations with a root key, from a server: a root key must not reach a browser.',
  },
  'authorization/setup_workspace_disabled': {
    status: 403,
    type: 'setup-workspace-disabled',
    detail: 'The workspace of the set-up link is disabled.',
    why: 'An operator disabled the workspace that the set-up link belongs to. None of its links works, nor do their sessions.',
    fix: 'Ask the operator of this installation to enable the workspace ("nameplate workspaces enable"). Customers ask the platform that sent the link.',
  },
  'authorization/origin_not_allowed': {
    status: 403,
    detail: 'Pages of this origin may not use set-up links of this workspace.',
    why: 'A browser sent the request for a page whose origin is neither that of NAMEPLATE_PUBLIC_URL nor in the list of the workspace.',
    fix: 'Add the origin of the page with setup.setBrand or "nameplate workspaces brand --origin". It is a scheme, a host and a port that is not the usual one, such as https://app.example.net.',
  },
  'validation/invalid_input': {
    status: 400,
    detail: 'The request is invalid. "errors" lists where and why.',
    why: 'The body violates the schema of the operation. "errors" lists every violation with its location and, where known, a fix.',
    fix: 'Correct each location in "errors". A body is a JSON object in UTF-8, sent with "Content-Type: application/json", with only the properties that the reference lists.',
  },
  'data/domain_not_found': {
    status: 404,
    detail: 'There is no such domain in this workspace, or the root key may not see it.',
    why: 'The workspace has no domain with this name or id, or the key may neither read it nor do this with it. Both get the same response, so that keys cannot be used to find out which domains exist.',
    fix: 'Check the name, and that the key belongs to the right workspace. The key needs the permission that the reference lists, for the environment of the domain.',
  },
  'data/redirect_destination_not_found': {
    status: 404,
    detail: 'The workspace has no domain that "to" names, or the root key may not use it.',
    why: 'A redirect leads to a domain of the same workspace, so that it never sends visitors to a stranger. Here "to" names no domain of the workspace, or the key lacks the permission for the environment of that domain. Both get the same response.',
    fix: 'Check "to". Attach its domain first if the workspace does not have it, and check that the key has the permission for the environments of both domains.',
  },
  'data/target_not_found': {
    status: 404,
    detail: 'The workspace has no such shared target.',
    why: 'A shared target is a host of your own platform that the operator has given to this workspace. The value of "target" names none, or another workspace\'s: both get the same response.',
    fix: 'Check "target" against targets.listTargets, or ask the operator to add it ("nameplate targets add"). Without "target", the domain gets a target of its own.',
  },
  'data/environment_not_found': {
    status: 404,
    detail: 'There is no such environment in this workspace, or the root key may not use it.',
    why: 'The project, the app or the environment does not exist, or the key lacks the permission for it. All get the same response.',
    fix: 'Check the ids or slugs (the id of an environment is enough). The key needs the permission that the reference lists.',
  },
  'data/app_not_found': {
    status: 404,
    detail: 'There is no such app in this workspace, or the root key may not use it.',
    why: 'The project or the app does not exist, or the key lacks the permission for it. All get the same response.',
    fix: 'Check both ids or slugs, and that the key has the permission that the reference lists.',
  },
  'data/project_not_found': {
    status: 404,
    detail: 'There is no such project in this workspace, or the root key may not use it.',
    why: 'The project does not exist, or the key lacks the permission for it. Both get the same response.',
    fix: 'Check the id or slug, and that the key has the permission that the reference lists.',
  },
  'data/webhook_not_found': {
    status: 404,
    detail: 'There is no such webhook in this workspace, or the root key may not use it.',
    why: 'The webhook does not exist, or the key lacks the permission for it. Both get the same response.',
    fix: 'Check the id, and that the key has the permission that the reference lists.',
  },
  'data/key_not_found': {
    status: 404,
    detail: 'There is no such key in this workspace, or the root key may not use it.',
    why: 'The key does not exist, was revoked, or your key lacks the permission for it. All get the same response.',
    fix: 'Check the id: it begins with key_ and is no secret. keys.listKeys lists all, and the reference says which permission is needed.',
  },
  'data/delivery_not_found': {
    status: 404,
    detail: 'The webhook has no such delivery.',
    why: 'The webhook was never sent this delivery, or it was deleted since: deliveries are kept for 14 days unless the operator sets another time.',
    fix: 'List the deliveries of the webhook with webhooks.listDeliveries.',
  },
  'data/setup_link_not_found': {
    status: 404,
    detail: 'There is no such set-up link in this workspace, or the root key may not see it.',
    why: 'The link does not exist, was deleted with its domain, expired more than 30 days ago, or the key lacks the permission for it. All get the same response.',
    fix: 'List the links of the domain with domains.listSetupLinks, and check that the key has the permission that the reference lists.',
  },
  'data/domain_already_exists': {
    status: 409,
    detail: 'The workspace already has this domain.',
    why: 'A workspace can have a name only once. Names are compared in canonical form: lower case, Punycode.',
    fix: 'Read the domain with domains.getDomain: it still needs the same DNS records. To serve it from another environment, use domains.moveDomain. One that was never verified, such as a name that somebody else typed, makes room if domains.createDomain has `replaceUnverified`, and the key `environment.*.replace_domain`.',
  },
  'data/project_already_exists': {
    status: 409,
    detail: 'The workspace already has a project with this slug.',
    why: 'The slug of a project is unique in its workspace.',
    fix: 'Use the existing project, or choose another slug.',
  },
  'data/app_already_exists': {
    status: 409,
    detail: 'The project already has an app with this slug.',
    why: 'The slug of an app is unique in its project.',
    fix: 'Use the existing app, or choose another slug.',
  },
  'data/environment_already_exists': {
    status: 409,
    detail: 'The app already has an environment with this slug.',
    why: 'The slug of an environment is unique in its app.',
    fix: 'Use the existing environment, or choose another slug.',
  },
  'application/precondition_failed': {
    status: 412,
    detail: 'The domain is already verified.',
    why: 'The operation checks domains that are not verified yet, and this domain is already verified.',
    fix: 'Treat it as a success: the domain needs no further check. If it is not served, domains.getCertificate says what its certificate is waiting for, and domains.diagnoseDomain says what is wrong in its DNS.',
  },
  'application/domain_superseded': {
    status: 409,
    type: 'domain-superseded',
    detail: 'Another workspace has been verified for the name since the domain was deleted.',
    why: 'Whoever is verified for a name has proved that it is theirs now. Older records prove nothing any more, and a restored domain would serve a name that may belong to another company.',
    fix: 'If the name is yours, attach it with domains.createDomain and publish the records that it returns: they prove the name anew.',
  },
  'application/environment_deleted': {
    status: 412,
    detail: 'The environment of the deleted domain was deleted too, so the domain cannot be restored.',
    why: 'A domain is restored where it was. Its environment is gone, and another one with the same slug is another environment.',
    fix: 'Attach the name to an environment that is there with domains.createDomain. It gets new DNS records.',
  },
  'application/domains_restorable': {
    status: 409,
    type: 'domains-restorable',
    detail: 'Deleted domains of the environment can still be restored.',
    why: 'A deleted domain can be restored for some days, but only to its environment. The request asked to be refused in that case (`refuseRestorable`).',
    fix: 'Restore the domains that are still needed with domains.restoreDomain, and move them to another environment with domains.moveDomain. Then call again without `refuseRestorable`.',
  },
  'application/domain_not_verified': {
    status: 412,
    detail: 'The domain is neither verified nor prepared, so it has no certificate yet.',
    why: 'A certificate is served for a name once its owner has proved it, or has added its ownership and challenge records. Another workspace may have the name verified.',
    fix: 'Add the records that domains.getSite shows, or wait until the domain is verified (domains.getDomain, or a webhook for domain.verified). Then upload the certificate.',
  },
  'application/redirect_destination_not_verified': {
    status: 412,
    detail: 'The domain that "to" names is not verified.',
    why: 'A name that is not verified is not served here, and may belong to another company. A redirect would send visitors nowhere, or to a stranger.',
    fix: 'Wait until the domain is verified (domains.getDomain, or a webhook for domain.verified), then set the redirect. The domain that redirects need not be verified yet.',
  },
  'application/redirect_chain': {
    status: 409,
    type: 'redirect-chain',
    detail: 'A domain that redirects cannot be the destination of a redirect.',
    why: 'Every redirect is one hop, so that there are neither chains nor loops. The destination must not redirect itself, and a destination of other redirects cannot start to. The field "detail" says which of the two it is.',
    fix: 'Redirect to where the destination leads, or remove the redirect that is in the way with domains.removeRedirect. To turn a redirect around, remove it first.',
  },
  'application/key_not_rotatable': {
    status: 412,
    detail: 'The key was rotated before, is disabled, or has expired.',
    why: 'A rotation replaces a key that works, once. The field "replacedBy" in keys.getKey names the successor: the response of the rotation that made it may have been lost.',
    fix: 'Rotate the successor, or make a key with keys.createKey. With an Idempotency-Key a rotation whose response was lost can be repeated.',
  },
  'application/webhook_disabled': {
    status: 412,
    detail: 'The webhook is disabled. Enable it with webhooks.updateWebhook.',
    why: 'Nothing is sent to a disabled webhook. Somebody disabled it, or nothing could be delivered to it for three days; webhooks.getWebhook says which.',
    fix: 'If its receiver did not respond, repair that first. Then enable the webhook with webhooks.updateWebhook and "enabled": true.',
  },
  'application/public_url_missing': {
    status: 412,
    detail:
      'The server does not know the address at which browsers reach it. Its operator needs to set NAMEPLATE_PUBLIC_URL.',
    why: 'A set-up link leads to a page of this server, whose address browsers have to reach.',
    fix: 'Ask the operator to set NAMEPLATE_PUBLIC_URL, such as https://api.example.net, on every node with the role api.',
  },
  'application/sealing_unavailable': {
    status: 412,
    detail:
      'The server has no key to encrypt the secret with, so nothing was changed. Its operator needs to configure one.',
    why: 'Secrets are encrypted before they are stored. The operator keeps the key in NAMEPLATE_ENCRYPTION_KEY or in the key file beside a SQLite database. The server has no usable key.',
    fix: 'Ask the operator to configure a key. The command "nameplate sealing key" prints a new one, and "nameplate doctor" says what is wrong with the configured one.',
  },
  'request/route_not_found': {
    status: 404,
    detail:
      'There is no such operation. Operations are POST requests to /v2/<group>.<operation>; GET /docs lists them.',
    why: 'The API has no such path.',
    fix: 'Compare the path with the reference at /docs. Paths are case-sensitive and have no trailing slash.',
  },
  'request/page_not_built': {
    status: 404,
    detail:
      'The pages of this server are not built. Run "npm run build" where the server was installed, and start it again.',
    why: 'The files of the set-up page, the dashboard and the documents are made by the build, in dist/. This installation runs from its sources and was not built.',
    fix: 'Run "npm run build" in the directory of the program. Images and packages of Nameplate include the files.',
  },
  'request/method_not_allowed': {
    status: 405,
    detail: 'The path does not support this method. The Allow header lists the methods that it supports.',
    why: 'The path exists, but not for this method. All operations are POST requests, also those that only read.',
    fix: 'Use a method from the Allow header of the response.',
  },
  'request/not_acceptable': {
    status: 406,
    detail:
      'The operation responds with server-sent events. Send "Accept: text/event-stream", with a client that reads the response while it goes on.',
    why: 'domains.watchDomain responds with a stream that does not end by itself. A client that waits for the end of a response would wait forever. The Accept header therefore has to name text/event-stream; a wildcard is not enough.',
    fix: 'Send "Accept: text/event-stream" with a client that reads events as they come, or poll domains.getDomain.',
  },
  'request/body_too_large': {
    status: 413,
    detail: 'The body is larger than the operation allows.',
    why: 'A body may have at most 1 MiB (1,048,576 bytes), that of setup.openSession 1 KiB. No operation needs more.',
    fix: 'Send a smaller body. If yours should be small, check what your client puts into it.',
  },
  'request/header_too_large': {
    status: 431,
    detail: 'The header of the request is larger than 16 KiB.',
    why: 'The request line and the header fields together may have at most 16 KiB.',
    fix: 'Send fewer or smaller header fields. The API uses no cookies.',
  },
  'request/idempotency_key_in_flight': {
    status: 409,
    detail: 'A request with the same Idempotency-Key is in flight. Send this one again after the time in Retry-After.',
    why: 'Two requests with one Idempotency-Key arrived at the same time. The first is still in flight, so that its result is not known yet.',
    fix: 'Wait for the seconds in the Retry-After header, then send the same request again. It gets the response of the first, or is carried out if the first was refused.',
  },
  'request/idempotency_key_reused': {
    status: 422,
    detail: 'The Idempotency-Key was used for another request. Send a new key with a new request.',
    why: 'For 24 hours an Idempotency-Key belongs to the request that it was first used for. This request has the same key and another body.',
    fix: 'Make a new key, such as a random UUID, for each thing that you create. Send the same key only with the same body.',
  },
  'request/timeout': {
    status: 408,
    detail: 'The request did not arrive in time.',
    why: 'The server waited for the rest of the request until its timeout.',
    fix: 'Try again, and send the whole request at once.',
  },
  'limits/rate_limited': {
    status: 429,
    detail: 'The workspace has reached its rate limit for this operation. Try again after the time in Retry-After.',
    why: 'The workspace has sent as many requests to this operation as its rate limit allows in one window. If "detail" names bad credentials, too many requests with bad credentials came from your address instead.',
    fix: 'Wait for the seconds in the Retry-After header, and correct bad credentials before you try again. Where there is a rate limit, RateLimit-Remaining says how many requests are left.',
  },
  'limits/overloaded': {
    status: 429,
    detail: 'The server is overloaded. Try again after the time in Retry-After.',
    why: 'While the server is overloaded it refuses new requests at once, so that those in flight finish in time. This is not your rate limit. The request changed nothing.',
    fix: 'Wait for the seconds in the Retry-After header, then send the same request again. The operator sees this in nameplate_requests_shed_total and may have to add capacity.',
  },
  'limits/too_many_watchers': {
    status: 429,
    detail: 'Too many streams of domains.watchDomain are open. Close some, or try again after the time in Retry-After.',
    why: 'The streams that one root key, one workspace and the whole server may have open are limited. "detail" says which limit was reached.',
    fix: 'Close streams that nobody reads, for example of domains that are verified. To follow many domains, create a webhook, or poll domains.listWorkspaceDomains. The operator can raise the limits (NAMEPLATE_WATCHERS).',
  },
  'limits/custom_domain_limit_exceeded': {
    status: 403,
    detail: 'The workspace has reached its limit of domains.',
    why: 'The operator of this installation limits the number of domains per workspace.',
    fix: 'Delete domains that you no longer need, or ask the operator for a higher limit ("nameplate workspaces limits").',
  },
  'limits/redirect_limit_exceeded': {
    status: 403,
    detail: 'The maximum of 100 domains already redirect to this one.',
    why: 'At most 100 domains may redirect to one, since a change of that one changes all of them at once.',
    fix: 'Redirect to another domain, or remove redirects that nobody needs any more with domains.removeRedirect.',
  },
  'limits/webhook_limit_exceeded': {
    status: 403,
    detail: 'The workspace has reached its limit of webhooks.',
    why: 'The operator of this installation limits the number of webhooks per workspace (NAMEPLATE_WEBHOOKS_PER_WORKSPACE, 10 unless set).',
    fix: 'Delete webhooks that you no longer need, or let one receiver take the events of several.',
  },
  'limits/setup_link_limit_exceeded': {
    status: 403,
    type: 'setup-link-limit-exceeded',
    detail: 'The domain has reached its limit of working set-up links.',
    why: 'A domain may have 100 set-up links at once that have neither expired nor been revoked. A page that makes one for each view reaches the limit soon.',
    fix: 'Use a link until it expires. domains.listSetupLinks lists those of the domain, domains.revokeSetupLink ends one.',
  },
  'application/internal': {
    status: 500,
    detail: internalDetail(''),
    why: 'The server had an unexpected error, or could not reach its database. The details are in its log, under the request id. The error may have come before or after the change was saved.',
    fix: 'Wait for the seconds in the Retry-After header; without one, wait a few seconds. Repeat a request that only reads. Before you repeat one that changes something, read whether the change was made: after domains.createDomain, for example, call domains.getDomain with the name. You can repeat a creation with an Idempotency-Key as it is. If the error persists, contact support with the request id (meta.requestId).',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ProblemCode = keyof typeof ERRORS;

/** Every error response has this header. Its value is the code, such as `data/domain_already_exists`. */
export const ERROR_CODE_HEADER = 'Nameplate-Error-Code';

/** Every code, in the order of the table. */
export const errorCodes = Object.keys(ERRORS) as ProblemCode[];

/** One violation (spec: ValidationError). */
export interface Violation {
  /** `body.domain`, `body`, `header.content-type`, … */
  location: string;
  message: string;
  fix?: string;
}

/** An error response. `cause` is only logged. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  /** About this occurrence; replaces the detail of the table. */
  readonly detail: string | undefined;
  readonly errors: Violation[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ProblemCode,
    about: { detail?: string; errors?: Violation[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(code, 'cause' in about ? { cause: about.cause } : {});
    this.code = code;
    this.detail = about.detail;
    this.errors = about.errors;
    this.headers = about.headers ?? {};
  }

  get status(): ErrorStatus {
    return ERRORS[this.code].status;
  }
}

/** Parts of the URLs of error pages. */
export interface ErrorNaming {
  /** The operator's word in error types. */
  service: string;
  /** Where the documentation is published; without it error types are short. */
  docsUrl?: string | undefined;
}

/** Path of an error's page under the documentation URL. */
export function errorPath(code: ProblemCode, service: string): string {
  return `/errors/${service}/${code}`;
}

/** An error of the table, as responses show it (spec: Error objects). */
export interface ShownError {
  title: string;
  detail: string;
  status: ErrorStatus;
  type: string;
  errors?: Violation[];
}

/** The body of an error response. */
export function presentProblem(problem: Problem, requestId: string, naming: ErrorNaming) {
  const error = presentError(problem, naming);
  const detail = problem.code === 'application/internal' ? internalDetail(` ${requestId}`) : error.detail;
  return { meta: { requestId }, error: { ...error, detail } };
}

/** The short type of an error: its own, or that of its status. */
export function shortType(code: ProblemCode): string {
  const { status, type = STATUSES[status].type }: ErrorEntry = ERRORS[code];
  return type;
}

export function presentError(problem: Problem, { service, docsUrl }: ErrorNaming): ShownError {
  const { status, detail }: ErrorEntry = ERRORS[problem.code];
  const { title } = STATUSES[status];
  return {
    title,
    detail: problem.detail ?? detail,
    status,
    type: docsUrl === undefined ? shortType(problem.code) : docsUrl + errorPath(problem.code, service),
    ...(problem.errors && { errors: problem.errors }),
  };
}

/** `named`: a space and the request id, or nothing. */
function internalDetail(named: string): string {
  return `Something went wrong on the server. A change that you requested may have been made: read before you repeat it. If this persists, please contact support and name the request id${named}.`;
}
