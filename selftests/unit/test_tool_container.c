// SPDX-License-Identifier: GPL-2.0
/* Paths of cgroups as the runtimes make them, and paths that are of no container. */
#include "container.h"
#include "test.h"

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
		{ "/user.slice2/docker/" ID, "docker:3f4e5d6c7b8a", ID },
		/* a container in a container is the inner one */
		{ "/docker/" ID "/docker/" ID2 "/init.scope", "docker:0123456789ab", ID2 },
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

int main(void)
{
	static const struct test tests[] = { TEST(finds) };

	return run_tests("tool_container", tests, ARRAY_SIZE(tests));
}
