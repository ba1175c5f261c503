/** One violation of a 400. */
export interface InputViolation {
  /** The faulty part, such as `body.domain`. */
  location: string;
  message: string;
  /** How to correct it, where that is known. */
  fix?: string;
}

export interface ErrorResponse {
  status: number;
  type: string;
  title: string;
  detail: string;
  errors?: InputViolation[];
}

/** An error response of the API. The message is its title and detail. */
export class NameplateError extends Error {
  override name = 'NameplateError';
  /** HTTP status. */
  readonly status: number;
  /** Short identifier, such as `not-found`, or the URI of the page about the error. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** All violations of a 400; empty otherwise. */
  readonly errors: readonly InputViolation[];
  /** For the operator's log and support; empty where the error came with an event. */
  readonly requestId: string;
  /** Seconds to wait before the next attempt; null where the server does not say. */
  readonly retryAfter: number | null;

  constructor(error: ErrorResponse, requestId = '', retryAfter: number | null = null) {
    super(`${error.title}: ${error.detail}`);
    this.status = error.status;
    this.type = error.type;
    this.title = error.title;
    this.detail = error.detail;
    this.errors = error.errors ?? [];
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** No response of the API: the server cannot be reached, or something else answered. `cause` is the error of `fetch`, where there is one. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
}
