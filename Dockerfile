# The server in one bundle, its packages included and the playground not (npm run build), and a user other than root.
# To pin the base by digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS bundle
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json ./client/
COPY page/package.json ./page/
COPY playground/package.json ./playground/
COPY server/package.json ./server/
RUN npm ci --ignore-scripts
COPY bin ./bin
COPY deploy/healthcheck.ts ./deploy/
COPY scripts ./scripts
COPY client ./client
COPY page ./page
COPY server ./server
COPY words ./words
COPY docs ./docs
RUN node scripts/build.ts

FROM ${NODE_IMAGE}
# Process 1, which clears away the processes that reloads have replaced: Node waits only for those that it has started.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY LICENSE package.json ./
COPY bin ./bin
COPY --from=bundle /app/dist ./dist
# A named volume mounted here inherits owner and mode.
RUN install -d -m 0700 -o 1000 -g 1000 /var/lib/nameplate && ln -s /app/bin/nameplate /usr/local/bin/nameplate
ENV NAMEPLATE_DATABASE_URL=sqlite:/var/lib/nameplate/nameplate.db \
    NAMEPLATE_EDGE_CACHE=/var/lib/nameplate/edge-cache \
    NAMEPLATE_LISTEN=*:7070 \
    NAMEPLATE_METRICS_LISTEN=*:7071 \
    NAMEPLATE_EDGE_HTTP_LISTEN=*:8080 \
    NAMEPLATE_EDGE_HTTPS_LISTEN=*:8443 \
    NAMEPLATE_EDGE_HEALTH_LISTEN=*:7073
# By number, so that Kubernetes can check "runAsNonRoot". Only /var/lib/nameplate is written to: the rest may be read-only.
USER 1000:1000
# Publish the edge as 80 and 443. Not every runtime lets a user other than root listen below 1024.
EXPOSE 7070 7071 8080 8443 7073
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["node", "/app/dist/healthcheck.js"]
ENTRYPOINT ["/usr/bin/tini", "--", "/app/bin/nameplate"]
CMD ["serve"]
