// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of cgroups as the runtimes make them, and paths that are of no container; what containers
 * are called.
 */
#include <glob.h>

#include "container.h"
#include "file.h"
#include "test.h"
#include "unit.h"

/* The runtimes' files, which are NULL if they are not there */
static const char *of_docker, *of_storage, *of_containerd;

static const char *file_at(const char *path)
{
	return strstr(path, "/docker/") ? of_docker :
	       strstr(path, "/storage/") ? of_storage : of_containerd;
}

char *file_read_timed(const char *path, size_t max, unsigned int left)
{
	const char *text = file_at(path);

	(void)max;
	(void)left;
	errno = ENOENT;
	return text ? strdup(text) : NULL;
}

static int find_file(const char *pattern, glob_t *g)
{
	static char *found[1];

	found[0] = (char *)pattern;
	g->gl_pathc = 1;
	g->gl_pathv = found;
	return file_at(pattern) ? 0 : GLOB_NOMATCH;
}

#define glob(pattern, flags, error, g)	find_file(pattern, g)
#define globfree(g)			((void)(g))
#include "container_state.c"

#define ID	"3f4e5d6c7b8a90123f4e5d6c7b8a90123f4e5d6c7b8a90123f4e5d6c7b8a9012"
#define ID2	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void finds(void)
{
	static const char *const paths[][3] = {
		{ "/system.slice/docker-" ID ".scope", "docker:3f4e5d6c7b8a", ID },
		{ "/docker/" ID, "docker:3f4e5d6c7b8a", ID },
		{ "/machine.slice/libpod-" ID ".scope/container", "podman:3f4e5d6c7b8a", ID },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod12_34.slice/"
		  "cri-containerd-" ID ".scope", "containerd:3f4e5d6c7b8a", ID },
		{ "/kubepods.slice/crio-" ID ".scope", "cri-o:3f4e5d6c7b8a", ID },
		{ "/kubepods/besteffort/pod12-34/" ID, "container:3f4e5d6c7b8a", ID },
		{ "/kubepods/burstable/pod12-34/" ID "/init.scope", "container:3f4e5d6c7b8a", ID },
		{ "/kubepods/burstable/pod12-34/crio-" ID, "cri-o:3f4e5d6c7b8a", ID },
		{ "/user.slice2/docker/" ID, "docker:3f4e5d6c7b8a", ID },
		{ "/docker-" ID ".scope", "docker:3f4e5d6c7b8a", ID },
		{ "/system.slice/nerdctl-" ID ".scope", "containerd:3f4e5d6c7b8a", ID },
		/* has a systemd of its own */
		{ "/system.slice/docker-" ID ".scope/system.slice/cron.service",
		  "docker:3f4e5d6c7b8a", ID },
		{ "/machine.slice/libpod-" ID ".scope", "podman:3f4e5d6c7b8a", ID },
		{ "/machine.slice/machine-libpod_pod_" ID2 ".slice/libpod-" ID ".scope/container",
		  "podman:3f4e5d6c7b8a", ID },
		{ "/libpod_parent/libpod-" ID, "podman:3f4e5d6c7b8a", ID },
		{ "/libpod_parent/" ID, "podman:3f4e5d6c7b8a", ID },
		/* --cgroup-parent=, of both drivers; ctr has its namespace */
		{ "/foo.slice/docker-" ID ".scope", "docker:3f4e5d6c7b8a", ID },
		{ "/foo.slice/foo-bar.slice/docker-" ID ".scope", "docker:3f4e5d6c7b8a", ID },
		{ "/foo.slice/" ID, "container:3f4e5d6c7b8a", ID },
		{ "/actions_job/" ID, "container:3f4e5d6c7b8a", ID },
		{ "/system.slice/foo/" ID, "container:3f4e5d6c7b8a", ID },
		{ "/ecs/12ab/" ID, "container:3f4e5d6c7b8a", ID },
		{ "/foo/libpod-" ID, "podman:3f4e5d6c7b8a", ID },
		{ "/default/" ID, "container:3f4e5d6c7b8a", ID },
		/* a container in a container is the inner one */
		{ "/docker/" ID "/docker/" ID2 "/init.scope", "docker:0123456789ab", ID2 },
		/* kind's node */
		{ "/system.slice/docker-" ID ".scope/kubelet.slice/kubelet-kubepods.slice/"
		  "cri-containerd-" ID2 ".scope", "containerd:0123456789ab", ID2 },
		{ "/docker/" ID "/kubelet/kubepods/burstable/pod12-34/" ID2,
		  "container:0123456789ab", ID2 },
		{ "/docker/" ID "/system.slice/docker.service/docker/" ID2,
		  "docker:0123456789ab", ID2 },
	};
	static const char *const none[] = {
		"/", "", "/system.slice/ssh.service", "/user.slice/user-1000.slice",
		/* a user's own, who can name it as he likes */
		"/user.slice/user-1000.slice/user@1000.service/docker-" ID ".scope",
		/* too short, too long, other digits, within a word */
		"/docker/3f4e5d6c7b8a9012", "/docker/" ID "0", "/docker/x" ID, "/docker-",
		"/docker/3F4E5d6c7b8a90123f4e5d6c7b8a90123f4e5d6c7b8a90123f4e5d6c7b8a9012",
	};
	char label[CONTAINER_LABEL];
	struct container c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		if (!container_find(paths[i][0], &c))
			fail("%s is no container", paths[i][0]);
		else if (strcmp(container_short(&c, label, sizeof(label)), paths[i][1]) ||
			 strcmp(c.id, paths[i][2]))
			fail("%s is %s, %s", paths[i][0], label, c.id);
		else if (c.nested != !strcmp(c.id, ID2))
			fail("%s is %sin another one", paths[i][0], c.nested ? "" : "not ");
	}
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		if (container_find(none[i], &c))
			fail("%s is container %s", none[i], c.id);
	}
}

/* What a unit with Delegate=, or a guest, calls as a container of the host is none of these. */
static void forged(void)
{
	static const char *const paths[][2] = {
		{ "/system.slice/ci.service/docker-" ID ".scope", "ci.service" },
		{ "/system.slice/ci.service/docker/" ID, "ci.service" },
		{ "/system.slice/ci.service/" ID, "ci.service" },
		{ "/system.slice/ci.service/system.slice/docker-" ID ".scope", "ci.service" },
		{ "/system.slice/system-ci.slice/ci@1.service/machine.slice/libpod-" ID ".scope",
		  "ci@1.service" },
		{ "/system.slice/run-u17.scope/docker-" ID ".scope", "run-u17.scope" },
		{ "/ci.service/docker/" ID, "ci.service" },
		/* a second id does not make the first one true */
		{ "/system.slice/ci.service/docker-" ID2 ".scope/docker-" ID ".scope",
		  "ci.service" },
		{ "/machine.slice/machine-web.scope/payload/system.slice/docker-" ID ".scope",
		  "machine-web.scope" },
		{ "/machine.slice/systemd-nspawn@web.service/payload/docker/" ID,
		  "systemd-nspawn@web.service" },
		{ "/lxc.payload.web/system.slice/docker-" ID ".scope",
		  "lxc:web/docker-" ID ".scope" },
		{ "/lxc.payload.web/docker/" ID, "lxc:web/docker" },
		{ "/lxc/101/ns/system.slice/docker-" ID ".scope", "lxc:101/docker-" ID ".scope" },
		{ "/lxc/101/ns/docker/" ID, "lxc:101/docker" },
		{ "/lxc/" ID, "lxc:" ID },
		{ "/foo/lxc.payload.web/docker/" ID, ID },
		/* systemd makes none there */
		{ "/batch/docker-" ID ".scope", "docker-" ID ".scope" },
	};
	struct container c;
	char unit[256];
	const char *got;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		if (container_find(paths[i][0], &c))
			fail("%s is container %s", paths[i][0], c.id);
		got = unit_of(paths[i][0], unit, sizeof(unit));
		if (strcmp(got, paths[i][1]))
			fail("%s is of %s", paths[i][0], got);
	}
}

/* What Kubernetes has docker and cri-o call a container is shown as containerd's are. */
static void in_pods(void)
{
#define UID	"_6f1a-22_"
	static const char *const names[][2] = {
		{ "k8s_db_cart-1_shop" UID "0", "shop/cart-1/db" },
		{ "k8s_db_cart-1.a_shop" UID "12", "shop/cart-1.a/db" },
		{ "k8s_POD_cart-1_shop" UID "0", "shop/cart-1/pause" },
		/* cri-dockerd adds a number to a name that was taken */
		{ "k8s_db_cart-1_shop" UID "0_0c5f9e3a", "shop/cart-1/db" },
	};
	static const char *const others[] = {
		"", "web", "k8s", "k8s_", "k8s_db", "k8s_db_cart-1_shop", "k8s_db_cart-1_shop" UID,
		/* of a part too few or too many, an empty one, with words before and behind */
		"k8s_cart-1_shop" UID "0", "k8s_a_db_cart-1_shop" UID "0",
		"k8s__cart-1_shop" UID "0",
		"k8s_db__shop" UID "0", "k8s_db_cart-1_" UID "0", "k8s_db_cart-1_shop__0",
		"xk8s_db_cart-1_shop" UID "0", "K8s_db_cart-1_shop" UID "0",
		"k8s_db_cart-1_shop" UID "x", "k8s_db_cart-1_shop" UID "0x",
		"k8s_db_cart-1_shop" UID "0_", "k8s_db_cart-1_shop" UID "0_0c5f9e3",
		"k8s_db_cart-1_shop" UID "0_0c5f9e3a_1",
		"shop/cart-1/db",
	};
#undef UID
	char name[600], want[600], *got;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		got = container_in_pod(names[i][0]);
		if (!got || strcmp(got, names[i][1]))
			fail("%s is %s", names[i][0], got ? got : "in no pod");
		free(got);
	}
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		got = container_in_pod(others[i]);
		if (got)
			fail("%s is %s", others[i], got);
		free(got);
	}
	/* the longest, and one letter more */
	for (i = 253; i < 255; i++) {
		snprintf(name, sizeof(name), "k8s_%063d_%0*d_%063d_u_0", 1, (int)i, 2, 3);
		snprintf(want, sizeof(want), "%063d/%0*d/%063d", 3, (int)i, 2, 1);
		got = container_in_pod(name);
		if (i == 253 ? !got || strcmp(got, want) : !!got)
			fail("a pod's name of %zu letters is %s", i, got ? got : "none");
		free(got);
	}
}

/* What the runtimes' files have, in which json-c takes ' for " */
#define DOCKER(name)	"{'Name':'/" name "'}"
#define STORED(name)	"[{'id':'" ID2 "','names':['b']}," \
			"{'id':'" ID "','names':['" name "','a']}]"
#define NOTE(key, text)	"'io.kubernetes.cri." key "':'" text "'"
#define POD		NOTE("sandbox-namespace", "shop") "," NOTE("sandbox-name", "cart-1")

static void named(void)
{
	static const struct {
		const char *runtime, *docker, *storage, *containerd, *want;
	} cases[] = {
		{ "docker", NULL, NULL, NULL, NULL },
		{ "docker", DOCKER("web"), NULL, NULL, "docker:web" },
		{ "docker", DOCKER("k8s_db_cart-1_shop_6f1a_0"), NULL, NULL,
		  "docker:shop/cart-1/db" },
		{ "podman", NULL, STORED("mail"), NULL, "podman:mail" },
		{ "cri-o", NULL, STORED("k8s_db_cart-1_shop_6f1a_0"), NULL,
		  "cri-o:shop/cart-1/db" },
		{ "cri-o", NULL, STORED("k8s_POD_cart-1_shop_6f1a_0"), NULL,
		  "cri-o:shop/cart-1/pause" },
		{ "containerd", NULL, NULL,
		  "{'annotations':{" POD "," NOTE("container-name", "db") "}}",
		  "containerd:shop/cart-1/db" },
		{ "containerd", NULL, NULL, "{'annotations':{" POD "}}",
		  "containerd:shop/cart-1/pause" },
	};
	struct container c = { .id = ID };
	char *got;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c.runtime = cases[i].runtime;
		of_docker = cases[i].docker;
		of_storage = cases[i].storage;
		of_containerd = cases[i].containerd;
		got = container_name(&c);
		if (!got != !cases[i].want || (got && strcmp(got, cases[i].want)))
			fail("case %zu is %s", i, got ? got : "without a name");
		free(got);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(finds), TEST(forged), TEST(in_pods), TEST(named),
	};

	return run_tests("tool_container", tests, ARRAY_SIZE(tests));
}
