import { describe, expect, it } from 'vitest';
import { readServerConfig } from '../config/config.ts';
import { edgeNetworksOf, ownApiOf, publicUrlOf } from './api-hostname.ts';

const configOf = (env: Record<string, string>) =>
  readServerConfig({
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '9.9.9.9',
    NAMEPLATE_API_HOSTNAME: 'api.example.net',
    ...env,
  });

describe("the API's own name", () => {
  it.each<[listen: string, origin: string, networks: string[]]>([
    ['127.0.0.1:7070', 'http://127.0.0.1:7070', ['127.0.0.0/8', '::1/128']],
    ['localhost:7070', 'http://localhost:7070', ['127.0.0.0/8', '::1/128']],
    ['0.0.0.0:7070', 'http://127.0.0.1:7070', ['127.0.0.0/8', '::1/128']],
    ['[::]:7070', 'http://[::1]:7070', ['127.0.0.0/8', '::1/128']],
    ['10.0.0.5:7070', 'http://10.0.0.5:7070', ['10.0.0.5']],
    ['[2001:db8::5]:7070', 'http://[2001:db8::5]:7070', ['2001:db8::5']],
  ])('leads to the API that listens at %s, and to no other address', (listen, origin, networks) => {
    const config = configOf({ NAMEPLATE_LISTEN: listen });
    expect(ownApiOf(config, 'secret')).toEqual({ hostname: 'api.example.net', origin, networks, secret: 'secret' });
    expect(edgeNetworksOf(config)).toEqual(networks);
  });

  it('leads nowhere without a name, or where another process serves the API', () => {
    expect(ownApiOf(configOf({ NAMEPLATE_API_HOSTNAME: '' }), 'secret')).toBe(null);
    expect(ownApiOf(configOf({ NAMEPLATE_ROLES: 'edge,certificates' }), 'secret')).toBe(null);
  });

  it('is where browsers reach the API, unless another URL is set', () => {
    expect(publicUrlOf(configOf({}))).toBe('https://api.example.net');
    expect(publicUrlOf(configOf({ NAMEPLATE_EDGE_HTTPS_PORT: '8443' }))).toBe('https://api.example.net:8443');
    const url = 'https://platform.example.net';
    expect(publicUrlOf(configOf({ NAMEPLATE_PUBLIC_URL: url }))).toBe(url);
    expect(publicUrlOf(configOf({ NAMEPLATE_API_HOSTNAME: '' }))).toBe(undefined);
  });
});
