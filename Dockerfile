# One image with the one binary, which is `api` and `worker` too by those names. Every BuildKit builds it, that of Docker 20.10 too,
# and fetches no newer `# syntax` for it.

FROM rust:1.95-bookworm AS build
# `rust-toolchain.toml` stays outside (.dockerignore): the image is the toolchain.
WORKDIR /src
COPY . .
# The caches stay out of the image, so the binary is taken out of `target` in the same step.
RUN --mount=type=cache,sharing=locked,target=/usr/local/cargo/registry \
    --mount=type=cache,sharing=locked,target=/src/target \
    cargo build --locked --release -p feedback \
    && install -D -t /out/bin target/release/feedback \
    && ln -s feedback /out/bin/api && ln -s feedback /out/bin/worker

# Of Debian's 75 MB the image has the 5 MB that the binary and its health check use: their libraries, bash, and a user.
FROM debian:bookworm-slim AS system
COPY --from=build /out/bin/ /image/usr/local/bin/
RUN groupadd --system --gid 10001 feedback \
    && useradd --system --uid 10001 --gid feedback --home-dir /var/lib/feedback --no-create-home \
        --shell /usr/sbin/nologin feedback \
    && install -d -o feedback -g feedback -m 0700 /image/var/lib/feedback \
    && install -d -m 1777 /image/tmp \
    && cp --parents /etc/passwd /etc/group /etc/nsswitch.conf /etc/os-release /bin/bash /image \
    && ln -s bash /image/bin/sh \
    && ldd /image/usr/local/bin/feedback /bin/bash | grep -o '/[^ ]*\.so[^ ]*' | sort -u | xargs cp --dereference --parents -t /image \
# Scanners read the versions of what was taken here.
    && install -d /image/var/lib/dpkg && dpkg-query --status base-files bash libc6 libgcc-s1 libtinfo6 > /image/var/lib/dpkg/status
# `healthcheck PORT`: whether the process is ready, at a port without TLS. The image has no curl, and needs none.
RUN printf '%s\n' '#!/bin/bash' \
        'exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1' \
        'printf "GET /health/ready HTTP/1.0\r\nHost: localhost\r\n\r\n" >&3' \
        'read -r -t 2 _ status _ <&3 && [ "$status" = 200 ]' > /image/usr/local/bin/healthcheck \
    && chmod 0755 /image/usr/local/bin/healthcheck

# Root certificates, time zones and SQLite are inside of the binary.
FROM scratch
COPY --from=system /image/ /
USER feedback
WORKDIR /var/lib/feedback
# The embedded database; `docker run --volume feedback:/var/lib/feedback` gives it a name.
VOLUME /var/lib/feedback
# Links begin with FEEDBACK_PUBLIC_URL: whoever serves more than this machine sets it.
ENV FEEDBACK_LISTEN=0.0.0.0:8080 \
    FEEDBACK_PUBLIC_URL=http://127.0.0.1:8080 \
    FEEDBACK_DATA_DIR=/var/lib/feedback
EXPOSE 8080
CMD ["feedback"]
