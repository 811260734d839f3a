// A way for programs to reach the open volume: where requests come from and where answers go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "crypto/base/result.h"
#include "daemon/serve/request_buffer.h"
#include "daemon/serve/served_volume.h"

namespace volt {

// What came of looking for a request.
enum class Received {
  request,     // there is one in the buffer
  none_yet,    // none waits, or a signal came instead
  taken_back,  // whoever asked gave it up meanwhile
  ended,       // there will be no more
};

// Thread contract: close() by one thread, after which nothing but receive() is called and that ends
// soon; the rest by any number of threads at once, each with a buffer of its own.
class FrontDoor {
 public:
  virtual ~FrontDoor() = default;
  FrontDoor(const FrontDoor&) = delete;
  FrontDoor& operator=(const FrontDoor&) = delete;

  // Readable (poll) when a request waits. It blocks, unless O_NONBLOCK is set on it.
  virtual int fd() const noexcept = 0;
  // Takes the next request, of `*length` bytes.
  virtual Received receive(RequestBuffer& buffer, std::size_t* length) noexcept = 0;
  // Whether the request is a read or write of the volume, and which. Never waits.
  virtual bool parse(RequestBuffer& buffer, std::size_t length,
                     VolumeRequest* request) noexcept = 0;
  // Answers one of these: bytes done, or a negative errno.
  virtual void answer(const VolumeRequest& request, std::int64_t done) noexcept = 0;
  // Serves any other request whole; may wait for the container.
  virtual void serve_other(RequestBuffer& buffer, std::size_t length) noexcept = 0;
  // No new requests from now on. Those that were taken may still be answered.
  virtual Status close() = 0;

 protected:
  FrontDoor() = default;
};

// What a front door is opened with. All that is pointed to outlives it.
struct FrontDoorRequest {
  ServedVolume* volume = nullptr;
  RequestBuffer* first_buffer = nullptr;  // lent until the door is open
  bool allow_other = false;               // other users may come in
  int folder_fd = -1;                     // the folder that was checked, open; -1: none
};

// One row a kind of front door. `open` makes the volume reachable, if not answered yet; on an error
// `*why` is a sentence.
struct FrontDoorRow {
  const char* name;
  Result<std::unique_ptr<FrontDoor>> (*open)(const FrontDoorRequest& request, std::string* why);
};

}  // namespace volt
