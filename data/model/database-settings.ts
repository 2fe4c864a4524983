/** How to reach a PostgreSQL server, and where the portal's tables are on it. */
export interface DatabaseSettings {
  readonly host: string;
  /** The port; null for a Unix socket, of which `host` is the folder. */
  readonly port: number | null;
  readonly user: string;
  readonly password: string | null;
  readonly database: string;
  /** The schema of the portal's tables. */
  readonly schema: string;
  readonly poolSize: number;
  /**
   * How the connection is encrypted; null if it is not. `ca`: the authorities that may sign the server's certificate, in PEM;
   * null for the usual ones.
   */
  readonly tls: { readonly ca: string | null } | null;
  /**
   * Whether statements are prepared once for each connection. Not possible through a pooler that gives each transaction another
   * connection.
   */
  readonly preparesStatements: boolean;
}
