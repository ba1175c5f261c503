const endpoint = { host: '127.0.0.1', port: 0 };

/** An edge whose clients and origins are on this machine. */
export const onLoopback = {
  lookUp: async () => ['127.0.0.1'],
  http: endpoint,
  https: endpoint,
  httpsPort: 443,
  allowedNetworks: ['127.0.0.0/8'],
  trustedProxies: [],
};
