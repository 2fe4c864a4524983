/** The portal or the chain cannot be read, so nothing can be said of the figures. The message names hosts only. */
export class AuditUnreachableError extends Error {
  override readonly name = 'AuditUnreachableError';
}
