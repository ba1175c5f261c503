/** A problem document (RFC 8555 section 6.7), thrown for an error. */
export class AcmeProblem extends Error {
  readonly status: number;
  readonly type: string;
  readonly more: { retryAfter?: string; subproblems?: object[] };

  constructor(status: number, type: string, detail: string, more: AcmeProblem['more'] = {}) {
    super(detail);
    this.status = status;
    this.type = type;
    this.more = more;
  }

  get document(): object {
    const { subproblems } = this.more;
    return {
      type: `urn:ietf:params:acme:error:${this.type}`,
      detail: this.message,
      status: this.status,
      ...(subproblems && { subproblems }),
    };
  }
}
