import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

/**
 * Whom a limit counts a request for: its IPv4 address, or the IPv6 network that one customer usually holds whole. A
 * client that has left already has no address; those count together.
 */
export function clientAddress(request: Request): string {
  return request.ip === undefined ? 'left' : ipKeyGenerator(request.ip);
}
