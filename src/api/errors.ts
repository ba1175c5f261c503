/** The errors of the API: one literal table, from which answers, the OpenAPI document and the error pages are made. */

/** Title and short type of a problem follow from its status (spec: Errors). */
export const STATUSES = {
  400: { title: 'Bad Request', type: 'validation-error' },
  401: { title: 'Unauthorized', type: 'unauthorized' },
  403: { title: 'Forbidden', type: 'forbidden' },
  404: { title: 'Not Found', type: 'not-found' },
  405: { title: 'Method Not Allowed', type: 'method-not-allowed' },
  408: { title: 'Request Timeout', type: 'request-timeout' },
  409: { title: 'Conflict', type: 'conflict' },
  412: { title: 'Precondition Failed', type: 'precondition-failed' },
  413: { title: 'Content Too Large', type: 'content-too-large' },
  429: { title: 'Too Many Requests', type: 'rate-limited' },
  431: { title: 'Request Header Fields Too Large', type: 'request-header-fields-too-large' },
  500: { title: 'Internal Server Error', type: 'internal-server-error' },
} as const;

export type ErrorStatus = keyof typeof STATUSES;

interface ErrorEntry {
  status: ErrorStatus;
  /** What the caller is told when the occurrence has nothing more to say. Never a secret, never what is merely logged. */
  detail: string;
  /** The error page: why it happens, and what to do. */
  why: string;
  fix: string;
}

export const ERRORS = {
  'authentication/missing': {
    status: 401,
    detail: 'The request has no Authorization header. Send "Authorization: Bearer <ROOT_KEY>".',
    why: 'Every operation needs a root key, and this request carried no Authorization header.',
    fix: 'Send the header "Authorization: Bearer <ROOT_KEY>". If you do send it, look whether a proxy on the way removes it.',
  },
  'authentication/malformed': {
    status: 401,
    detail:
      'The Authorization header does not hold a root key. Send "Authorization: Bearer <ROOT_KEY>"; keys begin with np_.',
    why: 'The header is not "Bearer", one space and a root key (or a dashboard token). Keys carry a checksum, so a key with a missing or mistyped character is refused here too.',
    fix: 'Copy the whole key, without quotation marks or line breaks. It begins with np_ and has 42 characters.',
  },
  'authentication/key_not_found': {
    status: 401,
    detail: 'The root key or token does not exist. It may have been revoked, or it has expired.',
    why: 'The key has the right form, but there is no such key: it was revoked, it has expired, or it belongs to another installation. A dashboard token is refused like this when it has expired, is not signed by this installation, or was changed.',
    fix: 'Make a new key with "nameplate keys create", and check that the server is the one the key was made for. Dashboard tokens are good for two minutes at most: get a new one.',
  },
  'authorization/key_disabled': {
    status: 403,
    detail: 'The root key is disabled.',
    why: 'Somebody disabled this key. It still exists and can be enabled again.',
    fix: 'Enable it with "nameplate keys enable", or use another key.',
  },
  'authorization/workspace_disabled': {
    status: 403,
    detail: 'The workspace of the root key is disabled.',
    why: 'The workspace that the key belongs to was disabled; none of its keys works.',
    fix: 'Ask whoever runs this installation to enable the workspace ("nameplate workspaces enable").',
  },
  'authorization/insufficient_permissions': {
    status: 403,
    detail: 'The root key lacks the permission for this operation.',
    why: 'The operation works on the workspace itself and needs a permission that the key does not have. The reference names the permissions of each operation.',
    fix: 'Use a key that has the permission, or make one with "nameplate keys create --permission".',
  },
  'authorization/forbidden': {
    status: 403,
    detail: 'The operation is not allowed.',
    why: 'The operation is prohibited whatever the permissions are: the name is reserved, or things have to be done in another order, such as deleting what is inside before what is around it.',
    fix: 'Read the detail of the answer: it says what stands in the way.',
  },
  'validation/invalid_input': {
    status: 400,
    detail: 'The request is not valid. Each entry of "errors" says where and why.',
    why: 'The body is not what the operation accepts. "errors" lists every rule that was violated, with its place, and how to mend it where that is known.',
    fix: 'Correct each place that "errors" names. Bodies are JSON objects in UTF-8, sent with "Content-Type: application/json", without properties that the reference does not list.',
  },
  'data/domain_not_found': {
    status: 404,
    detail: 'There is no such domain in this workspace, or the root key may not see it.',
    why: 'The workspace has no domain with this name or id, or the key lacks the permission to see it. The two are answered alike, so that keys cannot be used to find out which domains exist.',
    fix: 'Check the name, and that the key belongs to the right workspace and has the permission that the reference names for the environment of the domain.',
  },
  'data/environment_not_found': {
    status: 404,
    detail: 'There is no such environment in this workspace, or the root key may not use it.',
    why: 'The project, the app or the environment does not exist, or the key lacks the permission for it. All are answered alike.',
    fix: 'Check the three ids or slugs, and that the key has the permission that the reference names.',
  },
  'data/app_not_found': {
    status: 404,
    detail: 'There is no such app in this workspace, or the root key may not use it.',
    why: 'The project or the app does not exist, or the key lacks the permission for it. All are answered alike.',
    fix: 'Check both ids or slugs, and that the key has the permission that the reference names.',
  },
  'data/project_not_found': {
    status: 404,
    detail: 'There is no such project in this workspace, or the root key may not use it.',
    why: 'The project does not exist, or the key lacks the permission for it. Both are answered alike.',
    fix: 'Check the id or slug, and that the key has the permission that the reference names.',
  },
  'data/domain_already_exists': {
    status: 409,
    detail: 'The workspace already has this domain.',
    why: 'A name can be attached once in a workspace. Names are compared in their canonical form: lower case, Punycode.',
    fix: 'Read the domain with domains.getDomain; its records are the same as at its creation. To attach it to another environment, delete it first.',
  },
  'data/project_already_exists': {
    status: 409,
    detail: 'The workspace already has a project with this slug.',
    why: 'Slugs of projects are unique in their workspace.',
    fix: 'Use the project that exists, or choose another slug.',
  },
  'data/app_already_exists': {
    status: 409,
    detail: 'The project already has an app with this slug.',
    why: 'Slugs of apps are unique in their project.',
    fix: 'Use the app that exists, or choose another slug.',
  },
  'data/environment_already_exists': {
    status: 409,
    detail: 'The app already has an environment with this slug.',
    why: 'Slugs of environments are unique in their app.',
    fix: 'Use the environment that exists, or choose another slug.',
  },
  'application/precondition_failed': {
    status: 412,
    detail: 'The domain is verified already; there is nothing to verify.',
    why: 'The operation needs a state that the resource is not in: a verified domain cannot be verified again.',
    fix: 'Nothing needs to be done. Read the state with domains.getDomain.',
  },
  'request/route_not_found': {
    status: 404,
    detail:
      'There is no such operation. Operations are POST requests to /v2/<group>.<operation>; GET /docs lists them.',
    why: 'The path of the request is not one of this API.',
    fix: 'Compare the path with the reference at /docs: case matters, and there is no slash at the end.',
  },
  'request/method_not_allowed': {
    status: 405,
    detail: 'The path does not answer this method. The Allow header names those it answers.',
    why: 'The path exists, but not with this method. Operations are POST requests, also those that only read.',
    fix: 'Use a method that the Allow header of the answer names.',
  },
  'request/body_too_large': {
    status: 413,
    detail: 'The body is larger than 1 MiB.',
    why: 'Bodies have at most 1 MiB (1,048,576 bytes). No operation needs that much.',
    fix: 'Send less. If you did not mean to send that much, look at what your client puts into the body.',
  },
  'request/header_too_large': {
    status: 431,
    detail: 'The header of the request is larger than 16 KiB.',
    why: 'The request line and the header fields together have at most 16 KiB.',
    fix: 'Send fewer or smaller header fields; cookies are not used here.',
  },
  'request/timeout': {
    status: 408,
    detail: 'The request did not arrive in time.',
    why: 'The connection was open for long, but the request did not become complete.',
    fix: 'Send the whole request at once, then try again.',
  },
  'limits/rate_limited': {
    status: 429,
    detail:
      'The workspace has used up its requests to this operation for now. Try again after the time in Retry-After.',
    why: 'Each workspace has a number of requests per window of time for each operation, and this one exceeded it.',
    fix: 'Wait for as many seconds as the Retry-After header says. RateLimit-Remaining tells in every answer how many requests are left.',
  },
  'limits/overloaded': {
    status: 429,
    detail: 'The server has more to do than it can at present. Try again after the time in Retry-After.',
    why: "The server refuses requests before it looks at them while others would have to wait too long. It is nobody's limit that was exceeded, and nothing was done.",
    fix: 'Wait for as many seconds as the Retry-After header says, then send the same request again. Whoever runs this installation sees it in nameplate_requests_shed_total and may have to give it more.',
  },
  'limits/custom_domain_limit_exceeded': {
    status: 403,
    detail: 'The workspace has as many domains as it may have.',
    why: 'Whoever runs this installation limits the number of domains of the workspace.',
    fix: 'Delete domains that are no longer needed, or ask for a higher limit ("nameplate workspaces limits").',
  },
  'application/internal': {
    status: 500,
    detail: 'Something went wrong on the server. Please contact support and name the request id.',
    why: 'The server met an error that it did not expect, or could not reach its database. What happened is in its log, under the request id.',
    fix: 'Try again in a moment. If it goes on, contact support with the request id (meta.requestId).',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ProblemCode = keyof typeof ERRORS;

/** Every code, in the order of the table. */
export const errorCodes = Object.keys(ERRORS) as ProblemCode[];

/** One violated rule (spec: ValidationError). */
export interface Violation {
  /** `body.domain`, `body`, `header.content-type`, … */
  location: string;
  message: string;
  fix?: string | undefined;
}

/** A refusal that the caller is told of. `cause` is for the log alone. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  /** Explanation specific to this occurrence, in place of the table's. */
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

/** What the addresses of the error pages are made of. */
export interface ErrorNaming {
  /** The operator's word in error codes. */
  service: string;
  /** Where the documentation is published; without it problems have short types. */
  docsUrl?: string | undefined;
}

/** Path of an error's page, and the end of its type URI. */
export function errorPath(code: ProblemCode, service: string): string {
  return `/errors/${service}/${code}`;
}

/** The body of an error answer (spec: Error objects). */
export function presentProblem(problem: Problem, requestId: string, { service, docsUrl }: ErrorNaming) {
  const { status, detail } = ERRORS[problem.code];
  const { title, type } = STATUSES[status];
  return {
    meta: { requestId },
    error: {
      title,
      detail: problem.code === 'application/internal' ? contactSupport(requestId) : (problem.detail ?? detail),
      status,
      type: docsUrl === undefined ? type : docsUrl + errorPath(problem.code, service),
      ...(problem.errors && { errors: problem.errors }),
    },
  };
}

function contactSupport(requestId: string): string {
  return `Something went wrong on the server. Please contact support and name the request id ${requestId}.`;
}
