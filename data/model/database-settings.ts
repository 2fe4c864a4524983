export interface DatabaseSettings {
  readonly host: string;
  /** Null for a Unix socket; `host` is then the socket's folder. */
  readonly port: number | null;
  readonly user: string;
  readonly password: string | null;
  readonly database: string;
  readonly schema: string;
  readonly poolSize: number;
  /**
   * Null if the connection is not encrypted. `ca`: the certificates (PEM) of the authorities that may sign the server's
   * certificate; null for the authorities that Node trusts by default.
   */
  readonly tls: { readonly ca: string | null } | null;
  /**
   * Whether each statement is prepared once for each connection. This does not work through a pooler that may use a different
   * connection for each transaction.
   */
  readonly preparesStatements: boolean;
}
