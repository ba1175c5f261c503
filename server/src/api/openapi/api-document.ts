/** The part of OpenAPI 3.1 that the document uses. */

export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string; description: string; variables?: Record<string, { default: string; description: string }> }[];
  tags: { name: string; description: string }[];
  paths: Record<string, { get?: ApiOperation; post?: ApiOperation }>;
  /** Requests that the server sends to receivers. */
  webhooks: Record<string, { post: ApiCallback }>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ApiResponse>;
    examples: Record<string, { value: unknown }>;
    headers: Record<string, ApiHeader>;
    parameters: Record<string, ApiParameter>;
    securitySchemes: Record<string, JsonSchema>;
  };
}

export interface ApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  /** The codes of its errors. */
  'x-error-codes'?: string[];
  /** How the next page is asked for; the places are runtime expressions of OpenAPI. */
  'x-pagination'?: { type: 'cursor'; cursor: string; nextCursor: string; items: string };
  /** After which statuses, and whether after a lost connection, a repeat does no harm. */
  'x-retries'?: { statusCodes: string[]; connectionErrors: boolean };
  'x-idempotency'?: { header: string };
  parameters?: Reference[];
  requestBody?: { required: true; content: Record<string, ApiContent> };
  responses: Record<string, ApiResponse | Reference>;
}

/** A request that the server sends. */
export interface ApiCallback extends Omit<ApiOperation, 'responses'> {
  responses: Record<string, { description: string }>;
}

export interface ApiResponse {
  description: string;
  headers: Record<string, Reference>;
  content: Record<string, ApiContent>;
}

export interface ApiContent {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, Reference>;
}

export interface ApiHeader {
  description: string;
  required?: true;
  schema: JsonSchema;
}

export interface ApiParameter {
  name: string;
  in: 'header';
  required: boolean;
  description: string;
  schema: JsonSchema;
}

export interface Reference {
  $ref: string;
}

export type JsonSchema = { [key: string]: unknown };

export const JSON_TYPE = 'application/json';

/** The id of the request in examples. */
export const EXAMPLE_REQUEST = 'req_01kaghp0q1w2e3r4t5y6a7s8d9';
