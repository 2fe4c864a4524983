# The portal as an image (docs/deploy.md). All of its programs run in this image.

# Builds the site and the programs. The output is the same for every platform, so this stage needs no emulator.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /portal
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

# The packages that the programs need. Node itself is one of them.
FROM node:24-bookworm-slim AS packages
WORKDIR /portal
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

FROM debian:bookworm-slim
WORKDIR /portal
COPY --from=packages /portal/node_modules node_modules
COPY --from=build /portal/package.json /portal/package-lock.json ./
COPY --from=build /portal/dist dist
COPY --from=build /portal/build build
COPY --from=build /portal/scripts scripts
COPY --from=build /portal/data data
COPY --from=build /portal/indexer indexer
COPY --from=build /portal/api api
# A numeric user, so that Kubernetes can check that it is not root.
RUN mkdir /data && chown 10001:10001 /data && chmod 700 /data
USER 10001:10001
# The rest of the file system can be read-only, except /tmp.
VOLUME /data
ENV PATH=/portal/node_modules/.bin:/usr/local/bin:/usr/bin:/bin \
    NODE_ENV=production \
    DATA_DIR=/data \
    HOST=0.0.0.0 \
    NODE_COMPILE_CACHE=/tmp/compiled
EXPOSE 4000
STOPSIGNAL SIGTERM
# For containers with the API or the whole portal. A container that runs only an indexer turns the check off. A migration of the
# store may take up to the start period.
HEALTHCHECK --interval=15s --timeout=5s --start-period=1h \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "scripts/start.ts"]
