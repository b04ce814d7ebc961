// A classic script in the head: what the page looks like is settled before its first paint, and a room's address as it
// is written before its icon is asked for: a change later has the browser ask again.
(() => {
	const root = document.documentElement;
	const [, room] = /^\/r\/(.+)/.exec(location.pathname) ?? [];
	if (room) history.replaceState(null, "", `/r/${room.toUpperCase()}`);
	let kept = {};
	try {
		kept = JSON.parse(localStorage.getItem("samedeal.settings")) || {};
	} catch {
		// Without storage, or with something odd in it, the device decides.
	}
	for (const key of ["theme", "suits", "cards", "contrast"]) if (kept[key]) root.dataset[key] = kept[key];
})();
