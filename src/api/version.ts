/** Version of the HTTP API (spec: Versioning). Its major number is part of every path. */
export const API_VERSION = '2.0.0';
