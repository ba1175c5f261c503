import type { ErrorCode } from './api-types.ts';

/** One violation of a 400. */
export interface InputViolation {
  /** Which part of the request is wrong, such as `body.domain`. */
  location: string;
  message: string;
  /** How to correct it, if known. */
  fix?: string;
}

export interface ErrorResponse {
  status: number;
  type: string;
  title: string;
  detail: string;
  errors?: InputViolation[];
}

/** Whom the customer of a set-up link that has ended can ask, as far as the platform's brand says. */
export interface Support {
  name?: string;
  /** A `mailto:` or `https:` URL. */
  address?: string;
}

/** Header fields of an error response. */
export interface ErrorHeaders {
  code?: ErrorCode | null;
  requestId?: string;
  retryAfter?: number | null;
  rateLimit?: number | null;
  support?: Support | null;
}

/** An error response of the API. The message is its title and detail. */
export class NameplateError extends Error {
  override name = 'NameplateError';
  /** HTTP status. */
  readonly status: number;
  /** Which error it is, such as `data/domain_already_exists`: match this. Null where something on the way removed it. */
  readonly code: ErrorCode | null;
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
  /** Requests that the rate limit allows in each window; null without one. */
  readonly rateLimit: number | null;
  /** Whom to ask for another set-up link; null where the server does not say. */
  readonly support: Support | null;

  constructor(error: ErrorResponse, headers: ErrorHeaders = {}) {
    const { code = null, requestId = '', retryAfter = null, rateLimit = null, support = null } = headers;
    super(`${error.title}: ${error.detail}`);
    this.status = error.status;
    this.code = code;
    this.type = error.type;
    this.title = error.title;
    this.detail = error.detail;
    this.errors = error.errors ?? [];
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.rateLimit = rateLimit;
    this.support = support;
  }
}

/**
 * No response, or only a part of one: the server cannot be reached, or the connection was lost. `cause` is the error of
 * `fetch`, where there is one.
 */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
}

/** Something other than the API responded: a proxy on the way to it, or another server at this address. */
export class UnexpectedResponse extends Error {
  override name = 'UnexpectedResponse';
  /** HTTP status; 0 for a redirect in a browser, which does not tell. */
  readonly status: number;
  /** Seconds to wait before the next attempt; null where the response does not say. */
  readonly retryAfter: number | null;

  constructor(url: string, status: number, retryAfter: number | null) {
    super(`${url} returned ${status === 0 ? 'a redirect' : `status ${status}`}, not a response of Nameplate's API`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
