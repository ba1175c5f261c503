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
    fix: 'Send the header "Authorization: Bearer <ROOT_KEY>". If your client sends it, check whether a proxy removes it.',
  },
  'authentication/malformed': {
    status: 401,
    detail:
      'The Authorization header does not contain a root key. Send "Authorization: Bearer <ROOT_KEY>"; keys begin with np_.',
    why: 'The header is not "Bearer", one space and a root key or dashboard token. A root key contains a checksum, so a key with a missing or mistyped character is malformed too. "detail" then says so.',
    fix: 'Copy the whole key, without quotation marks or line breaks. It begins with np_ and has 42 characters. The token of a set-up link (nps_) is not a key: send it to setup.openSession, which returns a session token for this header.',
  },
  'authentication/key_not_found': {
    status: 401,
    detail: 'The root key or token does not exist. It may have been revoked, or it has expired.',
    why: 'The key is well-formed but does not exist: it was revoked, it has expired, or it belongs to another installation. A dashboard token gets this error if it has expired, was altered, or was signed by another installation.',
    fix: 'Check that you call the installation that the key was created on, or create a new key with "nameplate keys create". Dashboard tokens are valid for two minutes at most: create a new one with tokens.createToken.',
  },
  'authentication/setup_link_not_found': {
    status: 401,
    type: 'setup-link-not-found',
    detail: 'The set-up link does not exist. Its domain may have been deleted.',
    why: 'No set-up link has this token. The domain was deleted with its links, the link expired more than 30 days ago, or it belongs to another installation.',
    fix: 'Create a new link with domains.createSetupLink. Customers can ask the platform that sent the link for a new one.',
  },
  'authentication/setup_link_incomplete': {
    status: 401,
    type: 'setup-link-incomplete',
    detail: 'The set-up link is incomplete or was altered. Open it as it was sent.',
    why: 'The token was cut off or altered on its way. Tokens begin with nps_ and contain a checksum, which reveals a missing or mistyped character.',
    fix: 'Open the whole link as it was sent: the part after # has 43 characters.',
  },
  'authentication/setup_link_expired': {
    status: 401,
    type: 'setup-link-expired',
    detail: 'The set-up link has expired.',
    why: 'A set-up link works until the time that domains.createSetupLink returned as expiresAt.',
    fix: 'Create a new link with domains.createSetupLink. Customers can ask the platform that sent the link for a new one.',
  },
  'authentication/setup_link_revoked': {
    status: 401,
    type: 'setup-link-revoked',
    detail: 'The set-up link was revoked.',
    why: 'Somebody revoked the link with domains.revokeSetupLink. Its sessions ended within a second.',
    fix: 'Create a new link with domains.createSetupLink. Customers can ask the platform that sent the link for a new one.',
  },
  'authentication/dashboard_link_not_found': {
    status: 401,
    type: 'dashboard-link-not-found',
    detail: 'The sign-in link no longer works. Each link works once, for five minutes.',
    why: 'A link from "nameplate dashboard login" signs in one browser, once, within five minutes. This one was already opened, has expired, or was not copied completely.',
    fix: 'Create another link with "nameplate dashboard login", or ask the operator of this installation for one.',
  },
  'authentication/dashboard_signed_out': {
    status: 401,
    type: 'dashboard-signed-out',
    detail: 'Nobody is signed in to the dashboard in this browser.',
    why: 'Nobody has signed in, the session expired after twelve hours, or somebody ended it with "Sign out" or "nameplate dashboard sign-out".',
    fix: 'Create a link with "nameplate dashboard login" and open it. Behind a proxy with single sign-on, check NAMEPLATE_DASHBOARD_PROXY.',
  },
  'authorization/key_disabled': {
    status: 403,
    detail: 'The root key is disabled. Use another key, or ask the operator to enable it ("nameplate keys enable").',
    why: 'The operator disabled this key. It still exists and can be enabled again.',
    fix: 'Use another key, or ask the operator of this installation to enable it ("nameplate keys enable").',
  },
  'authorization/workspace_disabled': {
    status: 403,
    detail: 'The workspace of the root key is disabled. Ask the operator to enable it ("nameplate workspaces enable").',
    why: "The operator disabled the workspace of the key. None of the workspace's keys works.",
    fix: 'Ask the operator of this installation to enable the workspace ("nameplate workspaces enable").',
  },
  'authorization/insufficient_permissions': {
    status: 403,
    detail: 'The root key lacks the permission for this operation.',
    why: 'The key lacks the permission for the operation, and "detail" names it. The operation concerns the whole workspace, or a resource that the key can read. If the key cannot read the resource, the response is 404 instead, so that nobody can use a key to find out what exists.',
    fix: 'Use a key that has the permission, or ask the operator of this installation for one ("nameplate keys create --permission").',
  },
  'authorization/exceeds_caller': {
    status: 403,
    type: 'exceeds-caller',
    detail: 'A key cannot grant more than it has.',
    why: 'The request asks for a permission that the calling key lacks, or for a key that expires later than the calling key. To rotate a key, the calling key needs all permissions of that key. "detail" says what was too much.',
    fix: 'Request fewer permissions or an earlier expiry, or use a key that has what you want to grant. The operator of this installation can create any key ("nameplate keys create").',
  },
  'authorization/root_key_required': {
    status: 403,
    type: 'root-key-required',
    detail: 'A dashboard token cannot create keys, tokens or workspaces. Use a root key.',
    why: 'A dashboard token works for two minutes at most, and anything that it created would have to end with it. So only root keys can create keys, tokens and workspaces.',
    fix: 'Call the operation with a root key from a server. A root key must not reach a browser.',
  },
  'authorization/forbidden': {
    status: 403,
    detail: 'The operation is not allowed.',
    why: 'No key can do this, whatever its permissions. For example, the name is reserved, or another step must come first: you must delete the domains of an environment before the environment.',
    fix: 'Read "detail" in the response, which gives the reason.',
  },
  'authorization/setup_session': {
    status: 403,
    detail: 'A session of a set-up link cannot call this operation.',
    why: 'The token belongs to a session of a set-up link. It works for one domain, and only with the operations that setup.openSession lists.',
    fix: 'Call other operations with a root key from a server. A root key must not reach a browser.',
  },
  'authorization/setup_workspace_disabled': {
    status: 403,
    type: 'setup-workspace-disabled',
    detail: 'The workspace of the set-up link is disabled.',
    why: "The operator disabled the workspace that the set-up link belongs to. None of the workspace's links and sessions works.",
    fix: 'Ask the operator of this installation to enable the workspace ("nameplate workspaces enable"). Customers can ask the platform that sent the link.',
  },
  'authorization/origin_not_allowed': {
    status: 403,
    detail: 'Pages of this origin cannot use set-up links of this workspace.',
    why: "A browser sent the request from a page whose origin is neither that of NAMEPLATE_PUBLIC_URL nor in the workspace's list of origins.",
    fix: 'Add the origin of the page with setup.setBrand or "nameplate workspaces brand --origin". An origin is a scheme, a host and, if it is not the default, a port, such as https://app.example.net.',
  },
  'validation/invalid_input': {
    status: 400,
    detail: 'The request is invalid. "errors" lists where and why.',
    why: 'The request violates the schema of the operation. "errors" lists every violation with its location and, where known, a fix.',
    fix: 'Correct each location that "errors" names. The body must be a JSON object in UTF-8, sent with "Content-Type: application/json". It may have only the properties that the reference lists.',
  },
  'data/domain_not_found': {
    status: 404,
    detail: 'There is no such domain in this workspace, or the root key cannot read it.',
    why: 'The workspace has no domain with this name or id, or the key can neither read the domain nor do this with it. The response is the same, so that nobody can use a key to find out which domains exist.',
    fix: 'Check the name, and that the key belongs to the right workspace. The key needs the permission of the operation (see the reference) on the environment of the domain.',
  },
  'data/redirect_destination_not_found': {
    status: 404,
    detail: 'The workspace has no domain with the name or id in "to", or the root key lacks the permission on it.',
    why: 'The destination of a redirect must be a domain of the same workspace. The workspace has no domain with the name or id in "to", or the key lacks the permission on the environment of that domain. The response is the same in both cases.',
    fix: 'Check "to". If the workspace does not have that domain, attach it first. Check that the key has the permission on the environments of both domains.',
  },
  'data/target_not_found': {
    status: 404,
    detail: 'The workspace has no such shared target.',
    why: 'A shared target is a host of your platform that the operator has given to this workspace. The value of "target" is not one of them, or belongs to another workspace. The response is the same in both cases. From domains.restoreDomain: the target of the deleted domain was removed.',
    fix: 'Choose a host that targets.listTargets returns, or ask the operator to add this one ("nameplate targets add"). Without "target", the domain gets its own target. To restore a domain, ask the operator to add its target again.',
  },
  'data/environment_not_found': {
    status: 404,
    detail: 'There is no such environment in this workspace, or the root key lacks the permission on it.',
    why: 'The project, the app or the environment does not exist, or the key lacks the permission on it. The response is the same in all cases.',
    fix: 'Check the ids or slugs; the id of the environment alone is enough. The key needs the permission of the operation (see the reference).',
  },
  'data/app_not_found': {
    status: 404,
    detail: 'There is no such app in this workspace, or the root key lacks the permission on it.',
    why: 'The project or the app does not exist, or the key lacks the permission on it. The response is the same in all cases.',
    fix: 'Check both ids or slugs. The key needs the permission of the operation (see the reference).',
  },
  'data/project_not_found': {
    status: 404,
    detail: 'There is no such project in this workspace, or the root key lacks the permission on it.',
    why: 'The project does not exist, or the key lacks the permission on it. The response is the same in both cases.',
    fix: 'Check the id or slug. The key needs the permission of the operation (see the reference).',
  },
  'data/webhook_not_found': {
    status: 404,
    detail: 'There is no such webhook in this workspace, or the root key lacks the permission on it.',
    why: 'The webhook does not exist, or the key lacks the permission on it. The response is the same in both cases.',
    fix: 'Check the id. The key needs the permission of the operation (see the reference).',
  },
  'data/key_not_found': {
    status: 404,
    detail: 'There is no such key in this workspace, or the root key lacks the permission on it.',
    why: 'The key does not exist, it was revoked, or the calling key lacks the permission on it. The response is the same in all cases.',
    fix: 'Check the id, which begins with key_ and is not the key itself. keys.listKeys lists all keys. The calling key needs the permission of the operation (see the reference).',
  },
  'data/delivery_not_found': {
    status: 404,
    detail: 'The webhook has no such delivery.',
    why: 'The webhook never had this delivery, or the delivery was deleted: deliveries are kept for 14 days unless the operator sets another time.',
    fix: 'List the deliveries of the webhook with webhooks.listDeliveries.',
  },
  'data/setup_link_not_found': {
    status: 404,
    detail: 'There is no such set-up link in this workspace, or the root key cannot read it.',
    why: 'The link does not exist, was deleted with its domain, or expired more than 30 days ago. Or the key lacks the permission on the environment of the domain. The response is the same in all cases.',
    fix: 'List the links of the domain with domains.listSetupLinks. The key needs the permission of the operation (see the reference).',
  },
  'data/domain_already_exists': {
    status: 409,
    detail: 'The workspace already has this domain.',
    why: 'A workspace can have a name only once. Names are compared in canonical form: lower case, Punycode.',
    fix: 'Read the existing domain with domains.getDomain: it still needs the same DNS records. To serve it from another environment, use domains.moveDomain. If it was never verified, for example because somebody else typed the name first, you can replace it: call domains.createDomain with `replaceUnverified`. The key then needs `replace_domain` on the environment of the existing domain.',
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
    why: 'The operation checks a domain that is not verified yet. This domain is already verified.',
    fix: 'Treat this as a success: the domain needs no further check. If its site does not work, domains.getCertificate shows what its certificate is waiting for, and domains.diagnoseDomain shows what is wrong with its DNS.',
  },
  'application/domain_superseded': {
    status: 409,
    type: 'domain-superseded',
    detail: 'Another workspace has been verified for the name since the domain was deleted.',
    why: 'The other workspace has proved that it owns the name now. Your older records no longer prove anything, and a restored domain could serve the name of another company.',
    fix: 'If the name is yours, attach it with domains.createDomain and publish the records that it returns, which prove that you own it.',
  },
  'application/environment_deleted': {
    status: 412,
    detail: 'The environment of the deleted domain was deleted too, so the domain cannot be restored.',
    why: 'A domain can be restored only to its own environment, which does not exist any longer. A new environment with the same slug is a different one.',
    fix: 'Attach the name to an existing environment with domains.createDomain. The new domain has new DNS records.',
  },
  'application/domains_restorable': {
    status: 409,
    type: 'domains-restorable',
    detail: 'Deleted domains of the environment can still be restored.',
    why: 'A deleted domain can be restored for some days, but only to its environment. The request has `refuseRestorable`, so it was refused.',
    fix: 'Restore the domains that you still need with domains.restoreDomain, and move them to another environment with domains.moveDomain. Then delete the environment without `refuseRestorable`.',
  },
  'application/domain_not_verified': {
    status: 412,
    detail: 'The domain is neither verified nor prepared, so it has no certificate yet.',
    why: 'A name gets a certificate only once its domain is verified, or prepared by its ownership and challenge records. The name may also be verified in another workspace.',
    fix: 'Publish the records that domains.getSite returns, or wait until the domain is verified: poll domains.getDomain, or use a webhook for domain.verified. Then upload the certificate.',
  },
  'application/redirect_destination_not_verified': {
    status: 412,
    detail: 'The destination in "to" is not verified.',
    why: 'A name that is not verified is not served here, and may belong to another company.',
    fix: 'Wait until the destination is verified: poll domains.getDomain, or use a webhook for domain.verified. Then set the redirect. The domain that redirects does not have to be verified yet.',
  },
  'application/redirect_chain': {
    status: 409,
    type: 'redirect-chain',
    detail: 'A domain that redirects cannot be the destination of a redirect.',
    why: 'Redirects are a single hop, to prevent chains and loops. So a destination must not have a redirect of its own, and a domain that others redirect to cannot redirect. The field "detail" says which of the two applies.',
    fix: 'Redirect to the domain that the destination redirects to, or remove the redirect that is in the way with domains.removeRedirect. To reverse a redirect, remove it first.',
  },
  'application/key_not_rotatable': {
    status: 412,
    detail: 'The key was rotated before, is disabled, or has expired.',
    why: 'Only a working key can be rotated, and only once. If it was rotated before, "replacedBy" in keys.getKey has the id of its successor.',
    fix: 'Rotate the successor, or create a key with keys.createKey. If the response of a rotation was lost, repeat the request with the same Idempotency-Key to get the response again.',
  },
  'application/webhook_disabled': {
    status: 412,
    detail: 'The webhook is disabled. Enable it with webhooks.updateWebhook.',
    why: 'Nothing is sent to a disabled webhook. Somebody disabled it, or the server did because nothing could be delivered for three days: "disabledReason" in webhooks.getWebhook says which.',
    fix: 'If its receiver failed, repair the receiver first. Then enable the webhook with webhooks.updateWebhook and "enabled": true.',
  },
  'application/public_url_missing': {
    status: 412,
    detail:
      'The server does not know the address at which browsers reach it. Its operator needs to set NAMEPLATE_PUBLIC_URL.',
    why: 'A set-up link leads to a page of this server, so the server needs to know the address at which browsers reach it.',
    fix: 'Ask the operator to set NAMEPLATE_PUBLIC_URL, such as https://api.example.net, on every node with the role api.',
  },
  'application/sealing_unavailable': {
    status: 412,
    detail:
      'The server has no key to encrypt the secret with, so nothing was changed. Its operator needs to configure one.',
    why: 'Secrets are encrypted before they are stored. The key is in NAMEPLATE_ENCRYPTION_KEY, or in the key file next to a SQLite database. The server has no usable key.',
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
    why: 'The build creates the files of the set-up page, the dashboard and the documentation in dist/. This installation runs from source and has not been built.',
    fix: 'Run "npm run build" in the directory of the program. The images and packages of Nameplate already include the files.',
  },
  'request/method_not_allowed': {
    status: 405,
    detail: 'The path does not support this method. The Allow header lists the methods that it supports.',
    why: 'The path exists, but not for this method. All operations are POST requests, even those that only read.',
    fix: 'Use a method from the Allow header of the response.',
  },
  'request/not_acceptable': {
    status: 406,
    detail:
      'The operation responds with server-sent events. Send "Accept: text/event-stream", with a client that reads the response as it arrives.',
    why: 'domains.watchDomain responds with a stream that stays open. A client that waits for the end of the response would wait forever. So the Accept header must name text/event-stream; a wildcard is not enough.',
    fix: 'Send "Accept: text/event-stream" from a client that reads events as they arrive, or poll domains.getDomain.',
  },
  'request/body_too_large': {
    status: 413,
    detail: 'The body is larger than the operation allows.',
    why: 'A body can have at most 1 MiB (1,048,576 bytes), or 1 KiB for setup.openSession. No operation needs more.',
    fix: 'Send a smaller body. If yours should be small, check what your client sends.',
  },
  'request/header_too_large': {
    status: 431,
    detail: 'The request header is larger than 16 KiB.',
    why: 'The request line and the header fields together can have at most 16 KiB.',
    fix: 'Send fewer or smaller header fields. The API uses no cookies.',
  },
  'request/idempotency_key_in_flight': {
    status: 409,
    detail: 'A request with the same Idempotency-Key is in flight. Send this one again after the time in Retry-After.',
    why: 'Two requests with the same Idempotency-Key overlap. The first is still in flight, so its result is not known yet.',
    fix: 'Wait for the number of seconds in the Retry-After header, then send the same request again. It gets the response of the first request, or is carried out if the first was refused.',
  },
  'request/idempotency_key_reused': {
    status: 422,
    detail: 'The Idempotency-Key was used for another request. Send a new key with a new request.',
    why: 'For 24 hours, an Idempotency-Key belongs to the first request that used it. This request has the same key but differs from the first.',
    fix: 'Generate a new key, such as a random UUID, for each resource that you create. Send the same key only to repeat the same request.',
  },
  'request/timeout': {
    status: 408,
    detail: 'The request did not arrive in time.',
    why: "The rest of the request did not arrive before the server's timeout.",
    fix: 'Try again, and send the whole request at once.',
  },
  'limits/rate_limited': {
    status: 429,
    detail: 'The workspace has reached its rate limit for this operation. Try again after the time in Retry-After.',
    why: 'The workspace has sent as many requests to this operation as its rate limit allows in one window. If "detail" names bad credentials, too many requests with bad credentials came from your address instead.',
    fix: 'Wait for the number of seconds in the Retry-After header. Correct bad credentials before you try again. If the operation has a rate limit, the header RateLimit-Remaining shows how many requests are left.',
  },
  'limits/overloaded': {
    status: 429,
    detail: 'The server is overloaded. Try again after the time in Retry-After.',
    why: 'While the server is overloaded, it refuses new requests at once, so that requests in flight finish in time. This is not your rate limit. The request changed nothing.',
    fix: 'Wait for the number of seconds in the Retry-After header, then send the same request again. The operator can see the refused requests in the metric nameplate_requests_shed_total, and may have to add capacity.',
  },
  'limits/too_many_watchers': {
    status: 429,
    detail: 'Too many streams of domains.watchDomain are open. Close some, or try again after the time in Retry-After.',
    why: 'The number of open streams is limited for each root key, each workspace and the whole server. "detail" says which limit was reached.',
    fix: 'Close streams that you no longer need, for example those of verified domains. To follow many domains, create a webhook or poll domains.listWorkspaceDomains. The operator can raise the limits (NAMEPLATE_WATCHERS).',
  },
  'limits/custom_domain_limit_exceeded': {
    status: 403,
    detail: 'The workspace has reached its limit of domains.',
    why: 'The operator of this installation limits the number of domains per workspace.',
    fix: 'Delete domains that you no longer need, or ask the operator for a higher limit ("nameplate workspaces limits").',
  },
  'limits/redirect_limit_exceeded': {
    status: 403,
    detail: '100 domains already redirect to this one, which is the maximum.',
    why: 'At most 100 domains can redirect to one destination.',
    fix: 'Redirect to another domain, or remove redirects that nobody needs with domains.removeRedirect.',
  },
  'limits/webhook_limit_exceeded': {
    status: 403,
    detail: 'The workspace has reached its limit of webhooks.',
    why: 'The operator of this installation limits the number of webhooks per workspace (NAMEPLATE_WEBHOOKS_PER_WORKSPACE, 10 unless set).',
    fix: 'Delete webhooks that you no longer need, or let one receiver handle the events of several.',
  },
  'limits/setup_link_limit_exceeded': {
    status: 403,
    type: 'setup-link-limit-exceeded',
    detail: 'The domain has reached its limit of working set-up links.',
    why: 'A domain can have 100 set-up links that have neither expired nor been revoked. A page that creates a link for each view soon reaches this limit.',
    fix: 'Use each link until it expires. domains.listSetupLinks lists the links of the domain, and domains.revokeSetupLink ends one.',
  },
  'application/internal': {
    status: 500,
    detail: internalDetail(''),
    why: 'The server had an unexpected error, or could not reach its database. Its log has the details, under the request id. The error may have occurred before or after the change was saved.',
    fix: 'Wait for the number of seconds in the Retry-After header, or a few seconds if there is none. You can safely repeat a request that only reads, or that has an Idempotency-Key. Before you repeat any other request, check whether the change was made: after domains.createDomain, for example, call domains.getDomain with the name. If the error persists, contact support with the request id (meta.requestId).',
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
