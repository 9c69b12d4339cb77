// An OpenID Connect provider by npm's `oidc-provider`, with a new key at each start. It signs in whom the request's `login_hint`
// names, without a question, and says of them what stands in a file; `nobody` it sends back.
//
//     node provider.js PORT REDIRECT_URI CLAIMS.json
//
// The file: {"subject": {"preferred_username": "ada", "roles": ["boss"]}}.
const { generateKeyPairSync } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { Provider } = require('oidc-provider');

const [port, redirect, file] = process.argv.slice(2);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: 'feedback', client_secret: 'provider secret', redirect_uris: [redirect] }],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: `key-${process.pid}`, alg: 'RS256', use: 'sig' }] },
  cookies: { keys: ['for tests'] },
  claims: { openid: ['sub', 'preferred_username', 'email', 'email_verified', 'roles', 'azp'] },
  conformIdTokenClaims: false,
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...JSON.parse(readFileSync(file))[sub] }) }),
});

provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith('/interaction/')) return next();
  const { params } = await provider.interactionDetails(ctx.req, ctx.res);
  const accountId = params.login_hint;
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const agreed = { login: { accountId }, consent: { grantId: await grant.save() } };
  ctx.respond = false;
  return provider.interactionFinished(ctx.req, ctx.res, accountId === 'nobody' ? { error: 'access_denied' } : agreed);
});

provider.listen(Number(port), '127.0.0.1');
