/** The part of OpenAPI 3.1 that the document uses. */

export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, { get?: ApiOperation; post?: ApiOperation }>;
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
  parameters?: Reference[];
  requestBody?: { required: true; content: Record<string, ApiContent> };
  responses: Record<string, ApiResponse | Reference>;
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
