import type { RequestHandler } from 'express';

/** An IPv6 address in brackets with or without a port, or an IPv4 address with a port. */
const WITH_PORT = /\[([\da-f:.]{2,45})\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}/gi;

/** Removes the ports that some proxies (Azure, IIS) add to the addresses in `X-Forwarded-For`, before Express reads them. */
export const removeForwardedPorts: RequestHandler = ({ headers }, _response, next) => {
  const forwardedFor = headers['x-forwarded-for'];
  if (typeof forwardedFor === 'string') headers['x-forwarded-for'] = forwardedFor.replace(WITH_PORT, '$1$2');
  next();
};
