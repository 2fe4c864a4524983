import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../data/runtime/testing/free-port.ts';

/** The host name in the test's certificate. */
export const HOST = 'portal.example.com';

const shippedPath = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Debian installs programs for administrators in folders that may not be in PATH. */
const ENV = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

export interface StartedProxy {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The CA certificate that signed the proxy's certificate, in PEM. */
  readonly ca: string;
  log(): string;
  end(): Promise<void>;
}

interface ProxyOptions {
  readonly folder: string;
  readonly apiPorts: readonly number[];
  /** Whether Caddy listens on every address, as it does by default. */
  readonly listensEverywhere?: boolean;
}

type StartProxy = (options: ProxyOptions) => Promise<StartedProxy>;

function createCertificate(folder: string) {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const files = ['-keyout', key, '-out', certificate];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-days', '2', ...names, ...files], { stdio: 'pipe' });
  return { certificate, key, ca: readFileSync(certificate, 'utf8') };
}

async function waitUntilListening(child: ChildProcess, port: number, output: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the proxy ended with code ${child.exitCode}: ${output()}`);
    const socket = connect({ host: '127.0.0.1', port });
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await wait(20);
  }
}

type RunningProcess = Pick<StartedProxy, 'log' | 'end'>;

async function run(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  port: number,
): Promise<RunningProcess> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env: { ...ENV, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close');
  const log = () => output;
  await waitUntilListening(child, port, log);
  const end = async () => {
    child.kill('SIGTERM');
    const killTimer = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(killTimer);
  };
  return { log, end };
}

export const startCaddy: StartProxy = async ({ folder, apiPorts, listensEverywhere = false }) => {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const { certificate, key, ca } = createCertificate(folder);
  const env = {
    PORTAL_HOST: HOST,
    PORTAL_UPSTREAMS: apiPorts.map((port) => `127.0.0.1:${port}`).join(' '),
    PORTAL_TLS: `tls ${certificate} ${key}`,
    HTTP_PORT: String(httpPort),
    HTTPS_PORT: String(httpsPort),
    ...(listensEverywhere ? {} : { BIND_ADDRESS: '127.0.0.1' }),
    CADDY_ADMIN: `unix/${join(folder, 'admin')}`,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
  };
  const running = await run(['caddy', 'run', '--config', shippedPath('caddy/Caddyfile')], env, httpsPort);
  return { httpPort, httpsPort, ca, ...running };
};

/** Replaces `${NAME}` as envsubst does. */
function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\$\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The template has the unknown variable ${name}.`);
    return value;
  });
}

/** @param port one of the ports that the configuration listens on */
function runNginx(folder: string, configuration: string, port: number): Promise<RunningProcess> {
  mkdirSync(join(folder, 'logs'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration);
  // Debian's systemd unit also passes these settings on the command line.
  const settings = ['-p', folder, '-e', 'stderr', '-g', `daemon off; pid ${join(folder, 'pid')};`];
  return run(['nginx', '-c', file, ...settings], {}, port);
}

export const startNginx: StartProxy = async ({ folder, apiPorts }) => {
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const { certificate, key, ca } = createCertificate(folder);
  const configuration = fillIn(readFileSync(shippedPath('nginx/nginx.conf.template'), 'utf8'), {
    PORTAL_HOST: HOST,
    PORTAL_SERVERS: apiPorts.map((port) => `server 127.0.0.1:${port};`).join(' '),
    TLS_CERTIFICATE: certificate,
    TLS_KEY: key,
    ACME_FOLDER: folder,
    HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    HTTPS_LISTEN: `127.0.0.1:${httpsPort}`,
    // IPv4 addresses, because a machine may have no IPv6.
    HTTP_LISTEN_V6: `127.0.0.2:${httpPort}`,
    HTTPS_LISTEN_V6: `127.0.0.2:${httpsPort}`,
    NGINX_STATE: folder,
  });
  return { httpPort, httpsPort, ca, ...(await runNginx(folder, configuration, httpsPort)) };
};

const temporaryFolders = (folder: string) =>
  ['client_body', 'proxy', 'fastcgi', 'scgi', 'uwsgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');

/** Starts nginx with only `proxy_pass`, so it uses HTTP/1.0 and does not pass on the visitor's address. */
export async function startBareNginx(folder: string, apiPort: number) {
  const port = await freePort();
  const server = `server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${apiPort}; } }`;
  const configuration = `events {} http { access_log off; ${temporaryFolders(folder)} ${server} }`;
  return { port, ...(await runNginx(folder, configuration, port)) };
}

interface StaticHostOptions {
  /** A folder for the web server's own files, such as its certificate. */
  readonly folder: string;
  /** The folder of the static site. */
  readonly site: string;
  readonly apiOrigin: string;
}

export async function startStaticCaddy({ folder, site, apiOrigin }: StaticHostOptions) {
  const port = await freePort();
  const env = {
    SITE_ADDRESS: `http://${HOST}:${port}`,
    SITE_FOLDER: site,
    PUBLIC_API_ORIGIN: apiOrigin,
    CADDY_ADMIN: `unix/${join(folder, 'admin')}`,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
  };
  const running = await run(['caddy', 'run', '--config', shippedPath('static-site/Caddyfile')], env, port);
  return { port, ...running };
}

export async function startStaticNginx({ folder, site, apiOrigin }: StaticHostOptions) {
  const [port, httpPort] = [await freePort(), await freePort()];
  const { certificate, key } = createCertificate(folder);
  const server = fillIn(readFileSync(shippedPath('static-site/nginx.conf.template'), 'utf8'), {
    SITE_HOST: HOST,
    SITE_FOLDER: site,
    PUBLIC_API_ORIGIN: apiOrigin,
    ACME_FOLDER: folder,
    HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    SITE_LISTEN: `127.0.0.1:${port}`,
    // IPv4 addresses, because a machine may have no IPv6.
    HTTP_LISTEN_V6: `127.0.0.2:${httpPort}`,
    SITE_LISTEN_V6: `127.0.0.2:${port}`,
    TLS_CERTIFICATE: certificate,
    TLS_KEY: key,
  });
  // Without `user root`, the workers of an nginx that root started would run as a user who cannot read the site.
  const configuration = `user root; events {} http { include /etc/nginx/mime.types; ${temporaryFolders(folder)} ${server} }`;
  return { port, httpPort, ...(await runNginx(folder, configuration, port)) };
}
