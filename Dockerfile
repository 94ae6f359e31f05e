# The product in one image: the server `wheelhouse`, the demo city `simulator`, its `payment-simulator`, the built web app.
FROM node:20-bookworm-slim AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web ./
RUN npm run build

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY Cargo.toml Cargo.lock clippy.toml rustfmt.toml ./
COPY crates crates
COPY migrations migrations
COPY nats nats
RUN cargo build --release --locked -p server -p simulator -p payment-simulator \
 && mkdir /out && cp target/release/wheelhouse target/release/simulator target/release/payment-simulator /out/ \
 && /out/simulator city --seed 7 --out /out/city.geojson

FROM debian:bookworm-slim
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates curl \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /var/lib/wheelhouse --create-home wheelhouse \
 && install -d -o wheelhouse /etc/wheelhouse/nats
COPY --from=build /out/wheelhouse /out/simulator /out/payment-simulator /usr/local/bin/
COPY --from=build /out/city.geojson /usr/local/share/wheelhouse/
COPY --from=web /src/web/dist /usr/local/share/wheelhouse/web
COPY nats /usr/local/share/wheelhouse/nats
USER wheelhouse
WORKDIR /var/lib/wheelhouse
ENV WHEELHOUSE_LISTEN=0.0.0.0:8080 \
    WHEELHOUSE_STATE_DIR=/var/lib/wheelhouse \
    WHEELHOUSE_WEB_DIR=/usr/local/share/wheelhouse/web \
    WHEELHOUSE_BASE_MAP=/usr/local/share/wheelhouse/city.geojson
VOLUME ["/var/lib/wheelhouse"]
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s CMD ["curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:8080/readyz"]
ENTRYPOINT ["wheelhouse"]
CMD ["serve"]
