// The service worker: the page opens without a network too, and then says so. What races and boards say is never kept.

const KEPT = "samedeal-shell";
const NEVER = /^\/(api|ws|qr|metrics|healthz)(\/|$)/;

addEventListener("install", event => {
	event.waitUntil(caches.open(KEPT).then(kept => kept.add("/")));
	skipWaiting();
});

// What a page had loaded before there was anyone to keep it.
addEventListener("message", event => {
	const paths = event.data.filter(path => !NEVER.test(path));
	event.waitUntil(caches.open(KEPT).then(kept => kept.addAll(paths)));
});

addEventListener("activate", event => event.waitUntil(clients.claim()));

addEventListener("fetch", event => {
	const {request} = event;
	const path = new URL(request.url).pathname;
	if (request.method !== "GET" || NEVER.test(path)) return;
	event.respondWith(answer(request, request.mode === "navigate" ? "/" : path));
});

/** What the network has, kept for later; without it what was kept. */
async function answer(request, path) {
	const kept = await caches.open(KEPT).catch(() => null); // a full store keeps nothing, and stands in no way
	try {
		const fresh = await fetch(request);
		if (fresh.ok && (request.mode !== "navigate" || path === new URL(request.url).pathname)) await kept?.put(path, fresh.clone()).catch(() => {});
		return fresh;
	} catch (error) {
		const found = await kept?.match(path);
		if (found) return found;
		throw error;
	}
}
